// Run-time choice of the vector width: on x86-64 the loader picks the clone for the processor (ifunc), elsewhere the
// baseline (NEON on arm64) is already what there is.
#ifndef CKERNELS_DISPATCH_H
#define CKERNELS_DISPATCH_H

// The loader asks before the thread sanitizer has begun, and clang instruments the answer: with it there is the baseline only.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CK_UNTIMELY
#endif
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(CK_UNTIMELY)
#define CK_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CK_CLONES
#endif

#define CK_RESTRICT __restrict__

// Behind the includes of a file: a product and a sum are rounded each by itself, so that the results are the same on every processor. Another
// compiler than clang wants -ffp-contract=off.
#ifdef __clang__
#define CK_ROUND_PRODUCTS _Pragma("STDC FP_CONTRACT OFF")
#else
#define CK_ROUND_PRODUCTS
#endif
#endif
