#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own driver (FuzzerInterface.h of compiler-rt): takes the command line, calls `body` with every input.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*body)(const uint8_t *bytes, size_t size));

#endif
