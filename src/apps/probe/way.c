/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -I takes three kinds of things, and an unknown one must not end in packets on another
 * interface: what reads as an address must be one of this host, everything else must be an
 * interface. The kernel is asked for both; binding to them comes later and would tell too, but
 * not which option was wrong.
 */
#include "apps/probe/way.h"

#include <stdio.h>
#include <string.h>

#include "apps/probe/names.h"
#include "apps/probe/shown.h"
#include "core/wire_format.h"
#include "os/resolver.h"

static int add_device(struct way *way, const char *name, struct error *error)
{
	char buffer[SHOWN_LENGTH];

	(void)shown(name, buffer);
	if (strlen(name) >= sizeof(way->device))
		return error_set(error, ERROR_INVALID,
				 "-I %s: no interface has a name of more than 15 bytes", buffer);
	if (way->device[0] != '\0' && strcmp(way->device, name) != 0)
		return error_set(error, ERROR_INVALID,
				 "-I %s: packets leave by one interface or VRF, and %s was given "
				 "already",
				 buffer, way->device);
	way->device_index = route_interface_index(name);
	if (way->device_index == 0)
		return error_set(error, ERROR_INVALID,
				 "-I %s: no interface has this name, and it is no address", buffer);
	memcpy(way->device, name, strlen(name) + 1);
	return 0;
}

static int add_source(struct way *way, const char *name, struct error *error)
{
	char buffer[SHOWN_LENGTH];
	struct address address;
	struct error inner;
	uint32_t index;

	(void)shown(name, buffer);
	error_clear(&inner);
	if (resolver_resolve(name, 0, 0, &address, &inner) < 0)
		return error_set(error, ERROR_INVALID, "-I %s: %s", buffer, inner.text);
	index = way_family_index(address.family);
	if (way->sources[index].family != 0 && !address_equal(&way->sources[index], &address))
		return error_set(error, ERROR_INVALID,
				 "-I %s: one source address for each of IPv4 and IPv6, and %s was "
				 "given already",
				 buffer, way->source_names[index]);
	way->sources[index] = address;
	way->source_names[index] = name;
	return 0;
}

/* Whether the address is one of this host's own, in the table of the VRF or without. */
static bool is_own_address(const struct way *way, const struct address *address)
{
	const struct address none = {.family = 0};
	struct route route;

	if (route_lookup(address, &none, way->device, &route, NULL) == 0 && route.is_local)
		return true;
	return route_lookup(address, &none, "", &route, NULL) == 0 && route.is_local;
}

int way_open(struct way *way, const struct configuration *configuration, struct error *error)
{
	memset(way, 0, sizeof(*way));
	for (uint32_t i = 0; i < configuration->source_count; i++) {
		const char *name = configuration->sources[i];
		int status = names_is_numeric(name) ? add_source(way, name, error)
						    : add_device(way, name, error);

		if (status < 0)
			return -ERROR_INVALID;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(way->sources); i++) {
		if (way->sources[i].family != 0 && !is_own_address(way, &way->sources[i]))
			return error_set(error, ERROR_INVALID, "-I %s: not an address of this host",
					 way->source_names[i]);
	}
	return 0;
}

uint32_t way_default_scope(const struct way *way)
{
	if (way->device_index != 0)
		return way->device_index;
	return way->sources[way_family_index(6)].scope_id;
}

/* -I gave an address, but none of the family that this target needs. */
static int check_source(const struct way *way, const struct result_target *facts,
			struct error *error)
{
	uint32_t index = way_family_index(facts->family);
	char buffer[SHOWN_LENGTH];

	if (way->sources[index].family != 0 || way->sources[1 - index].family == 0)
		return 0;
	return error_set(error, ERROR_INVALID,
			 "-I %s is an IPv%c address, but the target %s has the IPv%c address %s: "
			 "give -I one of that family too",
			 way->source_names[1 - index], index == 0 ? '6' : '4',
			 shown(facts->name, buffer), index == 0 ? '4' : '6', facts->address);
}

static int check_size(const struct configuration *configuration, const struct result_target *facts,
		      struct error *error)
{
	const struct wire_format *format = wire_format_find(facts->family);
	char buffer[SHOWN_LENGTH];

	if (configuration->payload_bytes <= format->payload_max)
		return 0;
	return error_set(error, ERROR_INVALID,
			 "-s %u: the target %s (%s) is reached by IPv%u, which carries at most %u "
			 "bytes; nothing was sent",
			 configuration->payload_bytes, shown(facts->name, buffer), facts->address,
			 (unsigned)facts->family, format->payload_max);
}

static int check_many(const struct configuration *configuration, const char *kind,
		      const struct result_target *facts, struct error *error)
{
	char buffer[SHOWN_LENGTH];

	if (configuration->allow_broadcast || kind == NULL)
		return 0;
	return error_set(
		error, ERROR_INVALID,
		"the target %s (%s) is a %s address, which many hosts may answer: add -b if "
		"that is meant",
		shown(facts->name, buffer), facts->address, kind);
}

/* What the route tells, as far as it tells it. */
static void fill_facts(const struct route *route, struct result_target *facts)
{
	(void)snprintf(facts->interface, sizeof(facts->interface), "%s", route->interface);
	if (route->source.family != 0)
		(void)address_text(&route->source, facts->source);
	facts->mtu = route->mtu;
	facts->path_mtu = route->path_mtu;
	facts->link_bits_per_s = route->link_bits_per_s;
}

int way_look_up(const struct way *way, const struct configuration *configuration, bool is_simulated,
		const struct address *address, struct result_target *facts, struct route *route,
		struct error *error)
{
	const struct address *source = &way->sources[way_family_index(address->family)];
	const char *kind = address_is_multicast(address) ? "multicast" : NULL;
	char buffer[SHOWN_LENGTH];
	int status = 0;

	memset(route, 0, sizeof(*route));
	if (is_simulated) {
		route->mtu = configuration->simulation.mtu;
		(void)snprintf(route->interface, sizeof(route->interface), "sim");
	} else {
		status = route_lookup(address, source, way->device, route, NULL);
	}
	/* No route, or nobody to ask: sends will tell, and the facts stay unknown. */
	if (status < 0)
		memset(route, 0, sizeof(*route));
	if (status == -ERROR_NOT_FOUND && address_is_loopback(address))
		return error_set(
			error, ERROR_NOT_FOUND,
			"%s: this host does not reach itself by IPv%u: it is switched off, or "
			"the interface lo is down",
			shown(facts->name, buffer), (unsigned)address->family);
	if (kind == NULL && route->is_broadcast)
		kind = "broadcast";
	route->is_multicast = kind != NULL;
	fill_facts(route, facts);
	if (check_source(way, facts, error) < 0 ||
	    check_many(configuration, kind, facts, error) < 0)
		return -ERROR_INVALID;
	return check_size(configuration, facts, error);
}
