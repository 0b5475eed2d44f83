/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two sizes of an Ethernet frame, kept in one place because the gap and the preamble are
 * forgotten by most tools that compare a rate with the speed of a link.
 */
#include "core/ethernet.h"

uint32_t ethernet_frame_bytes(uint32_t ip_bytes)
{
	uint32_t payload = ip_bytes < ETHERNET_PAYLOAD_MIN ? ETHERNET_PAYLOAD_MIN : ip_bytes;

	return payload + ETHERNET_HEADER_BYTES + ETHERNET_CHECK_BYTES;
}

uint32_t ethernet_wire_bytes(uint32_t ip_bytes)
{
	return ethernet_frame_bytes(ip_bytes) + ETHERNET_PREAMBLE_BYTES + ETHERNET_GAP_BYTES;
}
