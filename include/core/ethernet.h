/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an IP packet costs on Ethernet. Every link is counted as untagged Ethernet, since that is
 * what the quoted link rates mean; the report says so.
 */
#ifndef FPING_BENCH_CORE_ETHERNET_H
#define FPING_BENCH_CORE_ETHERNET_H

#include "base/base.h"

/* IEEE 802.3: addresses and type, frame check sequence, preamble with start delimiter, least gap
 * between frames, least payload of a frame. */
#define ETHERNET_HEADER_BYTES 14u
#define ETHERNET_CHECK_BYTES 4u
#define ETHERNET_PREAMBLE_BYTES 8u
#define ETHERNET_GAP_BYTES 12u
#define ETHERNET_PAYLOAD_MIN 46u

/* Bytes of the frame that carries ip_bytes, check sequence included: at least 64. */
uint32_t ethernet_frame_bytes(uint32_t ip_bytes);

/* The time it takes on the wire, in bytes: frame, preamble and gap; at least 84. */
uint32_t ethernet_wire_bytes(uint32_t ip_bytes);

#endif
