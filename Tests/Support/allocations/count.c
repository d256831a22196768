// Loaded before a program (LD_PRELOAD), it counts how often each thread asks for memory.
#define _GNU_SOURCE
#include <stdint.h>
#include <stddef.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static _Thread_local uint64_t count;
uint64_t counted_allocations(void) { return count; }
void *malloc(size_t n) { count++; return __libc_malloc(n); }
void *calloc(size_t m, size_t n) { count++; return __libc_calloc(m, n); }
void *realloc(void *p, size_t n) { count++; return __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { count++; return __libc_memalign(a, n); }
void *memalign(size_t a, size_t n) { count++; return __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { count++; *p = __libc_memalign(a, n); return *p ? 0 : 12; }
