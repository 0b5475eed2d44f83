/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A diagnosis of fragments: the matrix, the verdict in a sentence, and what it rests on.
 */
#include "report/text_lines.h"

#include "base/format.h"
#include "core/diagnosis.h"
#include "report/lines.h"

static void print_kind(FILE *stream, const struct diagnosis *diagnosis,
		       const struct result_target *point, uint32_t row)
{
	const struct histogram *rtt = point->rtt_user;
	char loss[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH], p50[FORMAT_LENGTH];

	(void)fprintf(stream, "%-27s %5u %5u %5llu %5llu %5s", diagnosis_column_name(row),
		      point->payload_bytes, diagnosis->packets[row],
		      (unsigned long long)point->tally.sent,
		      (unsigned long long)point->tally.received,
		      point->loss.known ? format_significant(point->loss.value * 100.0, 3, loss)
					: "-");
	if (point->loss_ci95.known)
		(void)fprintf(stream, " %6s-%-5s",
			      format_significant(point->loss_ci95.low * 100.0, 2, low),
			      format_significant(point->loss_ci95.high * 100.0, 2, high));
	else
		(void)fprintf(stream, " %12s", "-");
	(void)fprintf(stream, " %8s\n",
		      rtt != NULL && rtt->samples > 0
			      ? format_duration((double)histogram_quantile(rtt, 0.5), p50)
			      : "-");
}

void text_diagnosis(FILE *stream, const struct result_target *target)
{
	const struct diagnosis *diagnosis = target->diagnosis;
	struct lines lines;

	if (diagnosis == NULL)
		return;
	(void)fprintf(stream, "%-27s %5s %5s %5s %5s %18s %8s\n", "echoes", "bytes", "parts",
		      "sent", "back", "loss % [95 %]", "rtt p50");
	for (uint32_t row = 0; row < target->point_count; row++)
		if (target->points[row].tally.sent + target->points[row].tally.send_errors > 0)
			print_kind(stream, diagnosis, &target->points[row], row);
	(void)fputc('\n', stream);
	lines_open(&lines, stream, "verdict");
	lines_prose(&lines, "", "%s: %s", diagnosis_word(diagnosis->verdict),
		    diagnosis->phase == DIAGNOSIS_OVER ? diagnosis_sentence(diagnosis->verdict)
						       : "it was ended early");
	lines_close(&lines);
	for (uint32_t i = 0; i < diagnosis->evidence_count; i++) {
		if (i == 0)
			lines_open(&lines, stream, "because");
		else
			lines_break(&lines);
		lines_prose(&lines, "", "%s", diagnosis->evidence[i]);
	}
	if (diagnosis->evidence_count > 0)
		lines_close(&lines);
	if (diagnosis->decide_by[0] != '\0') {
		lines_open(&lines, stream, "decided by");
		lines_prose(&lines, "", "%s", diagnosis->decide_by);
		lines_close(&lines);
	}
}
