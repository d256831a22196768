#ifndef WAYMARK_CMEMORY_H
#define WAYMARK_CMEMORY_H

/// Keeps the heap of a long-lived process small: freed memory is returned to the system.
///
/// By default, glibc raises its mmap threshold to the size of the largest freed block, up to 32 MiB, and then keeps the
/// memory of pictures (mallopt(3), M_MMAP_THRESHOLD), in an arena for each thread. No effect without glibc.
void waymark_keep_heap_small(void);

/// Releases the memory of code pages that only the start needed; the kernel reads them from the file again if they are
/// called.
///
/// Code pages are never written (there are no text relocations), so no data is lost. No effect without /proc.
void waymark_forget_code(void);

#endif
