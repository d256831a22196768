#define _GNU_SOURCE
#include "cmemory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void waymark_keep_heap_small(void) {
#ifdef __GLIBC__
  // Smaller than a picture of 640×480 (300 KiB), larger than the buffers of connections and lines.
  enum { LARGE_BLOCK = 256 << 10 };
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
  mallopt(M_ARENA_MAX, 2);
#endif
}

void waymark_forget_code(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return;
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, maps) > 0) {
    // The format of a line: start-end permissions offset device inode path.
    unsigned long start, end;
    char permissions[5];
    if (sscanf(line, "%lx-%lx %4s", &start, &end, permissions) != 3 || strcmp(permissions, "r-xp") || !strchr(line, '/')) continue;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  free(line);
  fclose(maps);
}
