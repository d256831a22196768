// Run-time choice of the vector width: on x86-64 the loader selects the clone for the processor (ifunc); elsewhere there is only the baseline
// (NEON on arm64).
#ifndef CKERNELS_DISPATCH_H
#define CKERNELS_DISPATCH_H

// The loader calls the ifunc resolvers before the thread sanitizer is initialised, but clang instruments them: with the sanitizer, only the
// baseline is built.
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

// To be placed after the includes of a file: products and sums are rounded separately (no fused multiply-add), so that the results are the
// same on every processor. Other compilers than clang need -ffp-contract=off.
#ifdef __clang__
#define CK_ROUND_PRODUCTS _Pragma("STDC FP_CONTRACT OFF")
#else
#define CK_ROUND_PRODUCTS
#endif
#endif
