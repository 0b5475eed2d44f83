/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path MTU that was found, and what was tried for it.
 */
#include "report/text_lines.h"

#include "core/mtu_search.h"
#include "report/lines.h"

/* Whether a router on the way said why it passed nothing longer. */
static void add_teller(struct lines *lines, const struct mtu_search *search,
		       const struct result_target *target)
{
	for (uint32_t i = 0; i < target->error_count; i++) {
		const struct result_error *error = &target->errors[i];

		if (error->type < 0 || error->mtu == 0)
			continue;
		if (error->mtu == search->mtu)
			lines_prose(lines, "; ", "%s says the same", error->from);
		else
			lines_prose(lines, "; ", "%s says %u, which is not so", error->from,
				    error->mtu);
		return;
	}
	lines_prose(lines, "; ",
		    "longer packets vanish without a word: a black hole for whoever relies on "
		    "ICMP errors");
}

void text_mtu_search(FILE *stream, const struct result_target *target)
{
	const struct mtu_search *search = target->mtu_search;
	struct lines lines;

	if (search == NULL)
		return;
	lines_open(&lines, stream, "path MTU");
	if (!search->known) {
		lines_prose(&lines, "", "unknown: %s",
			    search->why_not[0] != '\0' ? search->why_not
						       : "the search was ended early");
	} else if (search->mtu == search->interface_mtu) {
		lines_prose(&lines, "",
			    "%u bytes, that of the interface: packets of this length get there "
			    "whole",
			    search->mtu);
	} else {
		lines_prose(&lines, "", "%u bytes", search->mtu);
		lines_prose(&lines, " ", "(the interface has %u)", search->interface_mtu);
		add_teller(&lines, search, target);
	}
	lines_close(&lines);
	lines_open(&lines, stream, "tried");
	for (uint32_t i = 1; i < target->point_count; i++)
		lines_add(&lines, i == 1 ? "" : ", ", "%u: %llu of %llu", search->lengths[i],
			  (unsigned long long)target->points[i].tally.received,
			  (unsigned long long)target->points[i].tally.sent);
	lines_add(&lines, target->point_count > 1 ? "; " : "", "%u: %llu of %llu",
		  search->lengths[0], (unsigned long long)target->points[0].tally.received,
		  (unsigned long long)target->points[0].tally.sent);
	lines_close(&lines);
}
