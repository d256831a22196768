#ifndef WAYMARK_CMEMORY_H
#define WAYMARK_CMEMORY_H

/// Keeps the heap of a long-lived process small: memory that was freed goes back to the system.
///
/// glibc raises its threshold for blocks of their own to the size of the largest that was freed, up to 32 MiB, and then
/// keeps what pictures took (mallopt(3), M_MMAP_THRESHOLD); each thread's arena keeps its own. No effect without glibc.
void waymark_keep_heap_small(void);

/// Releases code that only the start needed: it is read from its file again should it be called.
///
/// Pages of code are never written (there are no text relocations), so nothing is lost by forgetting them. No effect without
/// /proc.
void waymark_forget_code(void);

#endif
