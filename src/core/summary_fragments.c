/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fragmentation did to a target: the plan of its requests, the kernel's counters around the
 * run, and what the loss of datagrams says about the loss of fragments. A round trip cannot tell
 * in which direction a fragment was lost, so that is answered twice: for one direction (all n
 * fragments of one datagram must arrive) and for both alike (2n of them).
 */
#include "core/summary_internal.h"

#include "core/fragment_cut.h"
#include "core/statistics.h"

/*
 * The MTU that fragments are cut to (ip(7), ipv6(7)): of the interface in the modes that ignore
 * what was learned about the path, else that of the path where it is known.
 */
static uint32_t mtu_in_use(enum configuration_path_mtu mode, const struct result_target *target)
{
	bool by_interface = mode == PATH_MTU_OMIT || mode == PATH_MTU_INTERFACE ||
			    mode == PATH_MTU_PROBE ||
			    (mode == PATH_MTU_DEFAULT && target->family == 4);

	return by_interface || target->path_mtu == 0 ? target->mtu : target->path_mtu;
}

void summary_plan(const struct configuration *configuration, struct result_target *target,
		  uint64_t *frame_bytes)
{
	enum configuration_path_mtu mode = configuration->path_mtu;
	struct result_fragments *fragments = &target->fragments;
	uint32_t bytes = target->payload_bytes + FRAGMENT_ECHO_HEADER_BYTES;
	uint32_t mtu = mtu_in_use(mode, target);
	struct fragment_plan plan, reply;

	/* How the other host cuts its replies is not known: as this one would, is assumed. */
	if (!fragment_plan_make(&reply, target->family, mtu, bytes))
		return;
	plan = reply;
	if (target->has_cut && !fragment_plan_make_cut(&plan, target->family, target->mtu, bytes,
						       target->cut.piece_bytes))
		return;
	if (plan.count > RESULT_FRAGMENTS_MAX)
		return;
	if (plan.count > 1 && !target->has_cut && (mode == PATH_MTU_DO || mode == PATH_MTU_PROBE))
		return; /* too long a request is not sent at all */
	for (uint32_t i = 0; i < plan.count; i++) {
		struct fragment fragment;

		if (fragment_at(&plan, i, &fragment))
			fragments->sizes[i] = fragment.packet_bytes;
	}
	fragments->known = true;
	fragments->per_request = plan.count;
	fragments->per_reply = reply.count;
	fragments->wire_bytes = fragment_wire_bytes(&plan);
	fragments->reply_wire_bytes = fragment_wire_bytes(&reply);
	if (!fragment_overhead(&plan, &fragments->overhead))
		fragments->overhead = 0.0;
	*frame_bytes = fragment_frame_bytes(&plan);
}

/* How far one counter has moved; false if it was not read both times. */
static bool moved(const struct kernel_counters *before, const struct kernel_counters *after,
		  const char *name, uint64_t *change)
{
	uint64_t first, last;

	if (before == NULL || after == NULL || !kernel_counters_find(before, name, &first) ||
	    !kernel_counters_find(after, name, &last) || last < first)
		return false;
	*change = last - first;
	return true;
}

static void count_fragments(struct result_target *target, const struct kernel_counters *before,
			    const struct kernel_counters *after)
{
	static const char *const names[2][4] = {
		{"Ip.FragCreates", "Ip.ReasmReqds", "Ip.ReasmOKs", "Ip.ReasmFails"},
		{"Ip6.FragCreates", "Ip6.ReasmReqds", "Ip6.ReasmOKs", "Ip6.ReasmFails"},
	};
	const char *const *name = names[target->family == 6];
	struct result_fragments *fragments = &target->fragments;

	fragments->counters_known =
		target->family != 0 && moved(before, after, name[0], &fragments->created) &&
		moved(before, after, name[1], &fragments->reassembled_fragments) &&
		moved(before, after, name[2], &fragments->reassembled) &&
		moved(before, after, name[3], &fragments->reassembly_failures);
}

static void imply(const struct result_target *target, uint32_t pieces, struct maybe *loss,
		  struct maybe_interval *interval)
{
	struct statistics_interval datagram = {target->loss_ci95.low, target->loss_ci95.high};
	struct statistics_interval fragment = statistics_per_fragment(datagram, pieces);

	loss->known = true;
	loss->value = fragment_loss(target->loss.value, pieces);
	interval->known = true;
	interval->low = fragment.low;
	interval->high = fragment.high;
}

void summary_fragments(struct result_target *target,
		       const struct kernel_counters *before, const struct kernel_counters *after)
{
	struct result_fragments *fragments = &target->fragments;

	count_fragments(target, before, after);
	if (!fragments->known)
		return;
	if (target->loss.known && target->loss_ci95.known) {
		imply(target, fragments->per_request, &fragments->loss_one_way,
		      &fragments->loss_one_way_ci95);
		imply(target, fragments->per_request + fragments->per_reply,
		      &fragments->loss_both_ways,
		      &fragments->loss_both_ways_ci95);
	}
	if (fragments->per_request == 1)
		return;
	if (target->family == 4 && target->sent_per_s.known)
		fragments->id_repeat_ns.known = fragment_id_repeat_ns(
			4, target->sent_per_s.value, &fragments->id_repeat_ns.value);
	fragments->pinned_bytes_estimate = target->pinned_bytes;
}
