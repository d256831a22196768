/* Arms an onboarding scan, shows where an accepted code leads, and confirms it: example [SOCKET]. */
#define _POSIX_C_SOURCE 200809L
#define _GNU_SOURCE
#include "waymark.h"

static int ended;

/* What comes before an answer. */
static void told(struct waymark *w) {
  if (waymark_is(w, "scan.ended")) ended = 1;
}

static int failed(struct waymark *w, const char *what, int result) {
  if (result == 0) {
    fprintf(stderr, "%s: %s ", what, waymark_string(w, "error.message"));
    fprintf(stderr, "%s\n", waymark_string(w, "error.hint"));
  } else {
    perror(what);
  }
  waymark_close(w);
  return 1;
}

int main(int count, char **arguments) {
  struct waymark *w = waymark_connect(count > 1 ? arguments[1] : NULL);
  if (!w) {
    perror("waymark");
    return 69;
  }
  printf("connected to waymark %s", waymark_string(w, "version"));
  printf(" as %s\n", waymark_string(w, "role"));
  int result = waymark_request(w, "subscribe", "{\"events\":[\"scan.*\"]}", told);
  if (result < 1) return failed(w, "subscribe", result);
  result = waymark_request(w, "scan.begin", "{\"mode\":\"onboarding\"}", told);
  if (result < 1) return failed(w, "scan.begin", result);
  while (!ended && (result = waymark_event(w)) == 1) {
    told(w);
    if (waymark_is(w, "scan.invalid")) printf("invalid %s\n", waymark_string(w, "reason"));
    if (!waymark_is(w, "scan.successful")) continue;
    const char *host = waymark_string(w, "connectTo");
    printf("successful %s\n", host ? host : waymark_string(w, "kind"));
    if ((result = waymark_request(w, "scan.confirm", NULL, told)) < 1) return failed(w, "scan.confirm", result);
    puts("confirmed");
    break;
  }
  waymark_close(w);
  return result == 1 ? 0 : 1;
}
