// Runs every kernel on the same made-up picture and prints what came out: "i NAME CHECKSUM" for whole numbers, "f NAME V…"
// for numbers with a fraction. Compiled for two processors, the prints are compared (Scripts/test-arm64).
#include "ckernels.h"
#include "cknetworks.h"
#include "ckpatches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W 160
#define H 120
#define PAD 32
#define STRIDE (W + 2 * PAD)

static uint8_t plane[(H + 2 * PAD) * STRIDE], other[8][(H + 2 * PAD) * STRIDE];
static uint8_t *const origin = plane + PAD * STRIDE + PAD;
static uint32_t seed = 12345;

static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

// FNV-1a, 64 bits.
static void whole(const char *name, const void *bytes, size_t count) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
  printf("i %s %016llx\n", name, (unsigned long long)hash);
}

static void fractions(const char *name, const float *values, int count) {
  printf("f %s", name);
  for (int i = 0; i < count; i++) printf(" %.9g", values[i]);
  printf("\n");
}

// The layers of networks, in sizes that leave places over beside whole vectors and whole groups of places.
static void networks(void) {
  enum { ROWS = 5, COLUMNS = 3, PLACES = 37, CHANNELS = 24, BLOCKS = 2, WIDTH = BLOCKS * CK_OUTPUTS };
  static int16_t src[ROWS * (PLACES + COLUMNS) * CHANNELS + CK_SLACK], weights[ROWS * COLUMNS * CHANNELS * WIDTH];
  static int32_t offsets[WIDTH], sums[PLACES * WIDTH];
  static int16_t settled[PLACES * CHANNELS], more[PLACES * CHANNELS], added[PLACES * CHANNELS];
  float factors[WIDTH];
  // The largest sum is 5 * 3 * 24 products of less than 2^11 * 2^10, beside an offset of 2^20: it stays within 32 bits.
  for (size_t i = 0; i < sizeof src / sizeof *src; i++) src[i] = (int16_t)((int)(next() >> 20) - 2048);
  for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) weights[i] = (int16_t)((int)(next() >> 21) - 1024);
  for (int i = 0; i < WIDTH; i++) {
    offsets[i] = (int32_t)(next() >> 11) - (1 << 20);
    factors[i] = (float)(next() >> 20) / (1 << 28);
  }
  const size_t row = (PLACES + COLUMNS) * CHANNELS;
  for (int count = 1; count <= PLACES; count += 4) {
    ck_convolve(src, row, CHANNELS, ROWS, COLUMNS * CHANNELS / 2, count, weights, BLOCKS, offsets, sums);
    whole("convolve", sums, sizeof *sums * (size_t)(count * WIDTH));
  }
  for (int channels = CHANNELS; channels > CK_OUTPUTS; channels -= 7) {
    ck_settle(sums, BLOCKS, PLACES, factors, -2047.0f, 2047.0f, channels, settled);
    whole("settle", settled, sizeof *settled * (size_t)(PLACES * channels));
  }
  ck_convolve_channels(src, row, CHANNELS, ROWS, COLUMNS, CHANNELS, PLACES, weights, BLOCKS, offsets, sums);
  for (int place = 0; place < PLACES; place++) whole("convolve_channels", sums + place * WIDTH, sizeof *sums * CHANNELS);
  // Halves, which either way of rounding decides: whole and odd sums times a half.
  for (int i = 0; i < WIDTH; i++) factors[i] = 0.5f;
  for (int i = 0; i < PLACES * WIDTH; i++) sums[i] = i - PLACES * WIDTH / 2;
  ck_settle(sums, BLOCKS, PLACES, factors, -300.0f, 400.0f, CHANNELS, more);
  whole("settle", more, sizeof more);
  for (size_t count = 1; count <= PLACES * CHANNELS; count += 97) {
    ck_add(settled, 3 << (CK_SHARE_BITS - 2), more, -(1 << (CK_SHARE_BITS - 1)), -1500, 1600, count, added);
    whole("add", added, sizeof *added * count);
  }
}

// The same in floating point: eight places at once, and the rest one by one.
static void networks_of_floats(void) {
  enum { ROWS = 3, COLUMNS = 3, INPUTS = 16, BLOCKS = 3, OUTPUTS = BLOCKS * CK_FLOATS, PLACES = 11, ROW = (2 * PLACES + COLUMNS) * OUTPUTS };
  static float src[ROWS * ROW], weights[ROWS * COLUMNS * INPUTS * OUTPUTS], offsets[OUTPUTS], sums[PLACES * OUTPUTS];
  for (size_t i = 0; i < sizeof src / sizeof *src; i++) src[i] = (float)(next() >> 8) / (1 << 22) - 2;
  for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) weights[i] = (float)(next() >> 8) / (1 << 23) - 1;
  for (int i = 0; i < OUTPUTS; i++) offsets[i] = (float)(next() >> 8) / (1 << 23) - 1;
  for (size_t step = 1; step <= 2; step++) {
    ck_convolve_floats(src, ROW, step * INPUTS, ROWS, COLUMNS * INPUTS, PLACES, weights, BLOCKS, offsets, sums);
    whole("convolve_floats", sums, sizeof sums);
    ck_convolve_float_channels(src, ROW, step * OUTPUTS, ROWS, COLUMNS, PLACES, weights, BLOCKS, offsets, sums);
    whole("convolve_float_channels", sums, sizeof sums);
  }
}

int main(void) {
  // Smooth hills with noise on them, and rectangles: corners, edges, flat places.
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int value = 90 + (x * y / 37) % 60 + (int)(next() >> 28);
      if ((x / 20 + y / 15) % 3 == 0) value = 220 - (x + y) % 7;
      origin[y * STRIDE + x] = (uint8_t)value;
    }
  ck_extend(origin, STRIDE, W, H, PAD);
  whole("extend", plane, sizeof plane);
  uint8_t *out = other[0] + PAD * STRIDE + PAD;

  ck_copy(origin, STRIDE, out, STRIDE, W, H);
  whole("copy", other[0], sizeof other[0]);
  ck_halve(origin, STRIDE, out, STRIDE, W / 2, H / 2);
  whole("halve", other[0], sizeof other[0]);
  ck_two_thirds(origin, STRIDE, out, STRIDE, 104, 78);
  whole("two_thirds", other[0], sizeof other[0]);
  ck_double(origin, STRIDE, out, STRIDE, W / 2, H / 2);
  whole("double", other[0], sizeof other[0]);
  ck_binomial(origin, out, STRIDE, W, H);
  whole("binomial", other[0], sizeof other[0]);
  static uint16_t scratch[W + 4];
  ck_means(origin, out, STRIDE, W, H, scratch);
  whole("means", other[0], sizeof other[0]);
  uint8_t *scores = other[4] + PAD * STRIDE + PAD;
  ck_fast_scores(origin, scores, STRIDE, W, H);
  whole("fast_scores", other[4], sizeof other[4]);
  static uint32_t maxima[4096];
  static uint8_t row[W + 64];
  const int found = ck_fast_maxima(scores, STRIDE, W, H, 12, maxima, 4096, row);
  whole("fast_maxima", maxima, sizeof maxima[0] * (size_t)found);

  static int32_t offsets[256];
  for (int i = 0; i < 256; i++) offsets[i] = ((int)(next() >> 16) % 25 - 12) * STRIDE + (int)(next() >> 16) % 25 - 12;
  static uint64_t descriptors[64][4];
  static int16_t shares[64 + CK_SLACK], margins[24], directions[256 * 64];
  static int32_t thresholds[256], sums[256];
  for (int i = 0; i < 256 * 64; i++) directions[i] = (int16_t)((int)(next() >> 16) % 8191 - 4095);
  for (int i = 0; i < 64; i++) {
    const uint8_t *centre = origin + (i / 8 * 12 + 15) * STRIDE + i % 8 * 16 + 15;
    int32_t moments[2];
    ck_moments(centre, STRIDE, moments, moments + 1);
    whole("moments", moments, sizeof moments);
    ck_gradient_shares(centre, offsets, shares);
    whole("gradient_shares", shares, sizeof shares[0] * 64);
    ck_convolve(shares, 0, 64, 1, 32, 1, directions, 16, thresholds, sums);
    ck_signs(sums, descriptors[i], margins, 24);
    whole("signs", margins, sizeof margins);
  }
  whole("descriptors", descriptors, sizeof descriptors);
  static uint32_t places[64];
  static uint16_t distances[64];
  ck_prefetch(descriptors, sizeof descriptors);
  const int hits = ck_near(descriptors[9], &descriptors[0][0], 64, 120, places, distances);
  whole("near", places, sizeof places[0] * (size_t)hits);
  whole("distances", distances, sizeof distances[0] * (size_t)hits);
  const int distance = ck_hamming(descriptors[0], descriptors[1]);
  whole("hamming", &distance, sizeof distance);
  static int32_t cells[(H / 4) * (W / 4) * 3];
  ck_texture_cells(origin, STRIDE, W, H, cells);
  whole("texture_cells", cells, sizeof cells);

  const double map[9] = {0.9, 0.1, 3.3, -0.05, 1.1, 2.7, 1e-4, -2e-4, 1};
  ck_warp(origin, STRIDE, W, H, map, -1, out, STRIDE, W, H);
  static float pixels[W * H];
  for (int i = 0; i < W * H; i++) pixels[i] = out[i / W * STRIDE + i % W];
  for (int y = 0; y < H; y += 10) fractions("warp", pixels + y * W, W);

  for (int i = 0; i < 20; i++) {
    const float place[9] = {1.02f, 0.03f, 8.5f + 6 * i, -0.02f, 0.98f, 20.25f + 3 * i, 1e-4f, 2e-4f, 1};
    const float samples[8] = {-0.25f, -0.25f, 0.25f, -0.25f, -0.25f, 0.25f, 0.25f, 0.25f};
    float drawn[CK_DRAWN_CAPACITY] = {0}, prepared[CK_PREPARED] = {0}, tensor[3] = {0}, measured[5] = {0};
    ck_patch_draw(origin, STRIDE, W, H, place, samples, 4, drawn);
    fractions("patch_draw", drawn, CK_DRAWN * CK_DRAWN);
    const float length = ck_patch_prepare(drawn, prepared, tensor);
    fractions("patch_length", &length, 1);
    if (length == 0) continue;
    fractions("patch_prepare", prepared, CK_PREPARED);
    fractions("patch_tensor", tensor, 3);
    const uint8_t *image = origin + (20 + 3 * i) * STRIDE + 9 + 6 * i;
    ck_patch_measure(image, STRIDE, 0.3f, 0.6f, prepared, measured);
    fractions("patch_measure", measured, 5);
    int16_t pattern[CK_PATCH_PIXELS];
    float places9[81] = {0};
    ck_patch_quantize(prepared, pattern);
    ck_patch_search(image, STRIDE, pattern, 4, 1, places9);
    fractions("patch_search", places9, 81);
    float structure[10] = {0};
    ck_patch_structure(drawn, image, STRIDE, structure);
    fractions("patch_structure", structure, 10);
  }
  networks();
  networks_of_floats();
  return 0;
}
