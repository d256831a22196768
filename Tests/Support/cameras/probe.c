// Takes the place of a program that plays addresses, and prints on its standard output which of these operations are permitted: a word for each,
// then "end".
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const char *word, int is_possible) {
  if (is_possible) dprintf(1, "%s\n", word);
}

int main(void) {
  // A file that grows beyond its limit is an error here, not the end.
  signal(SIGXFSZ, SIG_IGN);
  tell("read", open("/etc/passwd", O_RDONLY) >= 0);
  tell("list", open("/home", O_RDONLY | O_DIRECTORY) >= 0);
  tell("write", open("/tmp/waymark-probe", O_WRONLY | O_CREAT, 0600) >= 0);
  tell("device", open("/dev/full", O_RDWR) >= 0);
  tell("unix", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  tell("inet", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  tell("inet6", socket(AF_INET6, SOCK_DGRAM, 0) >= 0);
  tell("netlink", socket(AF_NETLINK, SOCK_RAW, 15) >= 0);
  tell("packet", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
  tell("kill", kill(getppid(), 0) == 0);
  tell("trace", ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
  tell("shared", ftruncate(memfd_create("probe", 0), 1) == 0);
  char *const arguments[] = {"sh", "-c", "echo exec", NULL}, *const environment[] = {NULL};
  execve("/bin/sh", arguments, environment);
  tell("end", 1);
}
