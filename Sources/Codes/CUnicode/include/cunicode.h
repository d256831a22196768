#pragma once
// The compatibility decompositions of Unicode (UAX #15).

#include <stddef.h>
#include <stdint.h>

/// Returns the compatibility decomposition (NFKD) of a character, and sets `count` to its length; NULL if it equals the canonical decomposition.
///
/// The result points into a constant table and must not be freed.
const uint32_t *wm_compatibility_decomposition(uint32_t scalar, size_t *count);

/// The tables, written by Scripts/make-compatibility: `sources` are the decomposed characters in ascending order, `starts` has the index of the
/// first target of each and at the end the number of targets, and `targets` are the decompositions.
extern const size_t wm_compatibility_count;
extern const uint32_t wm_compatibility_sources[];
extern const uint16_t wm_compatibility_starts[];
extern const uint32_t wm_compatibility_targets[];
