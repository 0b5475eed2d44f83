/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of control messages. The macros of cmsg(3) follow lengths that they have not checked
 * against the buffer in full, and need it aligned; so the chain is walked by offsets here, and
 * every header and content is copied out after its length was compared.
 */
#include "os/control_message.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h> /* after time.h, which it needs and does not include */

/* Contents of one message: bytes and how many. */
struct content {
	const uint8_t *bytes;
	size_t length;
};

static bool copy_int(const struct content *content, int *value)
{
	if (content->length < sizeof(*value))
		return false;
	memcpy(value, content->bytes, sizeof(*value));
	return true;
}

/*
 * Bytes of each of `count` points in time that are the content: a struct timespec each as the
 * kernel writes it, two 64-bit numbers or two longs. 0: it is something else, or was cut.
 */
static size_t time_width(const struct content *content, size_t count)
{
	if (content->length >= count * 2 * sizeof(int64_t))
		return 2 * sizeof(int64_t);
	return content->length == count * 2 * sizeof(int32_t) ? 2 * sizeof(int32_t) : 0;
}

/* False when there is none: a time that cannot be, or the zeros that stand for no stamp. */
static bool read_time(const uint8_t *at, size_t width, int64_t *ns)
{
	int64_t wide[2];
	int32_t narrow[2];

	if (width == sizeof(wide)) {
		memcpy(wide, at, sizeof(wide));
	} else {
		memcpy(narrow, at, sizeof(narrow));
		wide[0] = narrow[0];
		wide[1] = narrow[1];
	}
	if (wide[0] < 0 || wide[0] >= INT64_MAX / NANOSECONDS_PER_SECOND || wide[1] < 0 ||
	    wide[1] >= NANOSECONDS_PER_SECOND || (wide[0] == 0 && wide[1] == 0))
		return false;
	*ns = wide[0] * NANOSECONDS_PER_SECOND + wide[1];
	return true;
}

static void read_stamp(const struct content *content, struct control_facts *facts)
{
	size_t width = time_width(content, 1);

	if (width > 0 && read_time(content->bytes, width, &facts->stamp_real_ns))
		facts->has_stamp = true;
}

/*
 * struct scm_timestamping: by software, a place that is no longer used, by hardware. In the first
 * the kernel repeats what SO_TIMESTAMPNS says.
 */
static void read_stamps(const struct content *content, struct control_facts *facts)
{
	size_t width = time_width(content, 3);

	if (width == 0)
		return;
	if (read_time(content->bytes, width, &facts->stamp_real_ns))
		facts->has_stamp = true;
	(void)read_time(content->bytes + 2 * width, width, &facts->hardware_ns);
}

static void read_ttl(const struct content *content, struct control_facts *facts)
{
	int value;

	if (copy_int(content, &value) && value >= 0 && value <= 255)
		facts->ttl = value;
}

static void read_fragment(const struct content *content, struct control_facts *facts)
{
	int value;

	if (copy_int(content, &value) && value > 0 && value <= 65535 + 40)
		facts->largest_fragment = (uint32_t)value;
}

/* The offender's address follows the error at once: SO_EE_OFFENDER. */
static void read_offender(const struct content *content, struct control_facts *facts)
{
	const uint8_t *at = content->bytes + sizeof(struct sock_extended_err);
	size_t left = content->length - sizeof(struct sock_extended_err);
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
	sa_family_t family;

	if (left < sizeof(family))
		return;
	memcpy(&family, at + offsetof(struct sockaddr, sa_family), sizeof(family));
	if (family == AF_INET && left >= sizeof(ip4)) {
		uint8_t bytes[4];

		memcpy(&ip4, at, sizeof(ip4));
		memcpy(bytes, &ip4.sin_addr, sizeof(bytes));
		facts->offender = address_from_ip4(bytes);
	} else if (family == AF_INET6 && left >= sizeof(ip6)) {
		memcpy(&ip6, at, sizeof(ip6));
		facts->offender = address_from_ip6(ip6.sin6_addr.s6_addr, ip6.sin6_scope_id);
	}
}

static void read_error(const struct content *content, struct control_facts *facts)
{
	struct sock_extended_err extended;

	if (content->length < sizeof(extended))
		return;
	memcpy(&extended, content->bytes, sizeof(extended));
	facts->has_error = true;
	facts->origin = extended.ee_origin;
	facts->type = extended.ee_type;
	facts->code = extended.ee_code;
	facts->system_errno = (int)(extended.ee_errno & INT32_MAX);
	facts->information = extended.ee_info;
	facts->data = extended.ee_data;
	read_offender(content, facts);
}

static void read_message(int level, int type, const struct content *content,
			 struct control_facts *facts)
{
	if (level == SOL_SOCKET) {
		if (type == SO_TIMESTAMPNS) {
			read_stamp(content, facts);
		} else if (type == SO_TIMESTAMPING) {
			read_stamps(content, facts);
		} else if (type == SO_RXQ_OVFL && content->length >= sizeof(facts->drops)) {
			memcpy(&facts->drops, content->bytes, sizeof(facts->drops));
			facts->has_drops = true;
		}
	} else if (level == IPPROTO_IP) {
		if (type == IP_TTL)
			read_ttl(content, facts);
		else if (type == IP_RECVFRAGSIZE)
			read_fragment(content, facts);
		else if (type == IP_RECVERR)
			read_error(content, facts);
	} else if (level == IPPROTO_IPV6) {
		if (type == IPV6_HOPLIMIT)
			read_ttl(content, facts);
		else if (type == IPV6_RECVFRAGSIZE)
			read_fragment(content, facts);
		else if (type == IPV6_RECVERR)
			read_error(content, facts);
	}
}

void control_message_parse(const uint8_t *control, size_t length, struct control_facts *facts)
{
	size_t at = 0;

	memset(facts, 0, sizeof(*facts));
	facts->ttl = -1;
	facts->hardware_ns = INT64_MIN;
	while (length - at >= sizeof(struct cmsghdr)) {
		struct cmsghdr header;
		struct content content;
		size_t step;

		memcpy(&header, control + at, sizeof(header));
		if (header.cmsg_len < CMSG_ALIGN(sizeof(header)) || header.cmsg_len > length - at)
			return;
		content.bytes = control + at + CMSG_ALIGN(sizeof(header));
		content.length = header.cmsg_len - CMSG_ALIGN(sizeof(header));
		read_message(header.cmsg_level, header.cmsg_type, &content, facts);
		/* The last message may end without the padding that aligns a next one. */
		step = CMSG_ALIGN(header.cmsg_len);
		if (step > length - at)
			return;
		at += step;
	}
}
