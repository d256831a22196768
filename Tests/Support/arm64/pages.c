// What maps memory, on a processor of other pages: run with pages of 4, 16 and 64 KiB (`qemu-aarch64 -p`). A line `pass …` or `FAIL …`
// for each check.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmemory.h"
#include "csandbox.h"

static long page;

static void check(int fine, const char *what) { printf("%s pages of %ld KiB: %s\n", fine ? "pass" : "FAIL", page >> 10, what); }

int main(void) {
  page = sysconf(_SC_PAGESIZE);

  // An arena whose size is a multiple of no page.
  const size_t size = (3 << 20) + 12345;
  char *arguments[] = {"true", NULL};
  csandbox_worker worker;
  int result = csandbox_spawn("/bin/true", arguments, size, &worker);
  check(result == 0, "a worker is started");
  if (result) return 1;
  waitpid(worker.process, NULL, 0);
  struct stat facts;
  fstat(worker.arena, &facts);
  check((size_t)facts.st_size == size, "its arena has the size that was asked for");
  unsigned char *arena = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, worker.arena, 0);
  check(arena != MAP_FAILED, "the arena is mapped");
  if (arena == MAP_FAILED) return 1;
  memset(arena, 0xA5, size);
  check(arena[size - 1] == 0xA5, "to its last byte");

  // What is given back begins and ends within pages; what lies beside it stays.
  const size_t offset = (1 << 20) + 777, count = (1 << 20) + 4099;
  csandbox_release(worker.arena, (int64_t)offset, (int64_t)count);
  size_t wrong = 0;
  for (size_t i = 0; i < size; i++) wrong += arena[i] != (i >= offset && i < offset + count ? 0 : 0xA5);
  check(wrong == 0, "what is given back is nothing but what was named");
  csandbox_wipe(arena + 100, 50000);
  wrong = 0;
  for (size_t i = 0; i < offset; i++) wrong += arena[i] != (i >= 100 && i < 50100 ? 0 : 0xA5);
  check(wrong == 0, "what is wiped is nothing but what was named");
  check(munmap(arena, size) == 0, "the arena is unmapped");

  // Releases the mapped code of this program, which continues to run.
  waymark_forget_code();
  check(strlen("called again") == 12 && sysconf(_SC_PAGESIZE) == page, "code that was released is there when it is called");
  return 0;
}
