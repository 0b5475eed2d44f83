/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a name to the one address that is then used for the whole run. Numeric forms are what
 * getaddrinfo takes as such, with its traditions: "1" is 0.0.0.1, a leading zero means octal. The
 * zone is split off here, since a zone behind a name, or one that does not exist, deserves a better
 * answer than "name or service not known".
 */
#include "os/resolver.h"

#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define NAME_MAX_BYTES 253u /* of a domain name in its textual form (RFC 1035 2.3.4) */

/* A name taken apart at its last '%'. */
struct parts {
	char name[NAME_MAX_BYTES + 1];
	bool has_zone;
	const char *zone;
};

static int take_apart(const char *text, struct parts *parts, struct error *error)
{
	const char *percent = strrchr(text, '%');
	size_t length = percent == NULL ? strlen(text) : (size_t)(percent - text);

	if (length == 0)
		return error_set(error, ERROR_INVALID, "an empty host name");
	if (length > NAME_MAX_BYTES)
		return error_set(error, ERROR_INVALID,
				 "a host name of %zu bytes: at most %u are possible", length,
				 NAME_MAX_BYTES);
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] <= ' ' || text[i] == '\x7f')
			return error_set(error, ERROR_INVALID,
					 "a host name that contains blanks or control characters");
	}
	memcpy(parts->name, text, length);
	parts->name[length] = '\0';
	parts->has_zone = percent != NULL;
	parts->zone = percent == NULL ? "" : percent + 1;
	return 0;
}

/* The interface index that a zone means: a name, or the number of one that exists; 0 for none. */
static uint32_t zone_index(const char *zone)
{
	uint32_t index = if_nametoindex(zone);
	uint64_t number = 0;
	char name[IF_NAMESIZE];

	if (index != 0)
		return index;
	if (*zone == '\0' || strlen(zone) > 10 || strspn(zone, "0123456789") != strlen(zone))
		return 0;
	for (; *zone != '\0'; zone++)
		number = number * 10 + (uint64_t)(*zone - '0');
	if (number > UINT32_MAX || if_indextoname((unsigned)number, name) == NULL)
		return 0;
	return (uint32_t)number;
}

/* An address of the system's list as ours; an IPv4 address in IPv6 clothes is an IPv4 address. */
static bool take_address(const struct addrinfo *info, struct address *address)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (info->ai_family == AF_INET && info->ai_addrlen >= sizeof(struct sockaddr_in)) {
		struct sockaddr_in ip4;
		uint8_t bytes[4];

		memcpy(&ip4, info->ai_addr, sizeof(ip4));
		memcpy(bytes, &ip4.sin_addr, sizeof(bytes));
		*address = address_from_ip4(bytes);
		return true;
	}
	if (info->ai_family == AF_INET6 && info->ai_addrlen >= sizeof(struct sockaddr_in6)) {
		struct sockaddr_in6 ip6;

		memcpy(&ip6, info->ai_addr, sizeof(ip6));
		*address = memcmp(ip6.sin6_addr.s6_addr, mapped, sizeof(mapped)) == 0
				   ? address_from_ip4(ip6.sin6_addr.s6_addr + sizeof(mapped))
				   : address_from_ip6(ip6.sin6_addr.s6_addr, 0);
		return true;
	}
	return false;
}

static int look_up(const char *name, int family, int flags, uint8_t wanted, struct address *address,
		   bool *has_other)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM, /* one entry per address instead of one per protocol */
		.ai_flags = flags,
	};
	struct addrinfo *list = NULL;
	int result = getaddrinfo(name, NULL, &hints, &list);
	bool found = false;

	if (result != 0)
		return result;
	for (const struct addrinfo *info = list; info != NULL && !found; info = info->ai_next) {
		if (!take_address(info, address))
			continue;
		found = wanted == 0 || address->family == wanted;
		*has_other |= !found;
	}
	freeaddrinfo(list);
	return found ? 0 : EAI_NONAME;
}

/* Numeric first: such a text must never reach a name service. */
static int find_address(const char *name, uint8_t family, struct address *address,
			struct error *error)
{
	int system_family = family == 0 ? AF_UNSPEC : family == 4 ? AF_INET : AF_INET6;
	bool has_other = false;
	int result = look_up(name, AF_UNSPEC, AI_NUMERICHOST, family, address, &has_other);

	if (result == 0)
		return 0;
	if (has_other)
		return error_set(error, ERROR_NOT_FOUND,
				 "%s is an IPv%d address, and -%d asks for IPv%d: leave out -%d",
				 name, family == 4 ? 6 : 4, family, family, family);
	result = look_up(name, system_family, 0, family, address, &has_other);
	if (result == 0)
		return 0;
#ifdef EAI_ADDRFAMILY
	has_other |= result == EAI_ADDRFAMILY;
#endif
#ifdef EAI_NODATA
	has_other |= result == EAI_NODATA && family != 0;
#endif
	if (has_other)
		return error_set(error, ERROR_NOT_FOUND, "%s has no IPv%d address", name, family);
	if (result == EAI_SYSTEM)
		return error_set_system(error, errno, "cannot look %s up", name);
	return error_set(error, ERROR_NOT_FOUND, "%s: %s", name, gai_strerror(result));
}

/* Packets to the unspecified address go to this host itself, and its replies come from loopback. */
static void replace_unspecified(struct address *address)
{
	static const uint8_t zero[16];

	if (memcmp(address->bytes, zero, sizeof(zero)) != 0)
		return;
	if (address->family == 4)
		*address = address_from_ip4((const uint8_t[4]){127, 0, 0, 1});
	else
		address->bytes[15] = 1;
}

int resolver_resolve(const char *name, uint8_t family, uint32_t default_scope,
		     struct address *address, struct error *error)
{
	struct parts parts = {.zone = ""};
	uint32_t scope = 0;
	int result = take_apart(name, &parts, error);

	if (result < 0)
		return result;
	if (parts.has_zone) {
		scope = zone_index(parts.zone);
		if (scope == 0)
			return error_set(error, ERROR_NOT_FOUND,
					 "%s: there is no interface '%s' on this host", name,
					 parts.zone);
	}
	result = find_address(parts.name, family, address, error);
	if (result < 0)
		return result;
	replace_unspecified(address);
	if (address->family == 4) {
		if (parts.has_zone)
			return error_set(
				error, ERROR_INVALID,
				"%s: only an IPv6 address has a zone; choose an interface by -I",
				name);
		return 0;
	}
	if (scope == 0 && address_needs_scope(address))
		scope = default_scope;
	if (scope == 0 && address_needs_scope(address))
		return error_set(
			error, ERROR_NOT_FOUND,
			"%s is link-local and exists on every link: add %%INTERFACE to it, or "
			"-I INTERFACE",
			name);
	address->scope_id = scope;
	return 0;
}
