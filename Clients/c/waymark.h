/* Client of the Waymark scanning service in one header: C11, POSIX, no other library. One connection belongs to one thread.
 *
 *   struct waymark *w = waymark_connect(NULL);
 *   waymark_request(w, "scan.begin", "{\"mode\":\"barcode\"}", NULL);
 *   while (waymark_event(w) > 0)
 *     if (waymark_is(w, "scan.successful")) puts(waymark_string(w, "text"));
 *
 * docs/protocol.md has every method and event. */
#ifndef WAYMARK_H
#define WAYMARK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The longest line that is read; a longer one ends the connection. */
#define WAYMARK_LINE_LIMIT (16 << 20)

struct waymark {
  int socket;
  char *buffer;        /* what was received */
  size_t used, size;   /* bytes in it, and its room */
  size_t next;         /* where the line after the current one begins */
  char *line;          /* the current line, ended by 0 */
  char *text;          /* what waymark_string returned last */
  unsigned number;     /* of the last request */
};

/* Ends a connection and frees all of it. */
static inline void waymark_close(struct waymark *w) {
  if (!w) return;
  if (w->socket >= 0) close(w->socket);
  free(w->buffer);
  free(w->text);
  free(w);
}

/* Reads the next line: 1, 0 at the end of the connection, -1 with errno. */
static inline int waymark_line(struct waymark *w) {
  size_t looked = w->next;
  for (;;) {
    char *end = w->used > looked ? memchr(w->buffer + looked, '\n', w->used - looked) : NULL;
    if (end) {
      *end = 0;
      w->line = w->buffer + w->next;
      w->next = (size_t)(end - w->buffer) + 1;
      return 1;
    }
    looked = w->used;
    if (w->next > 0) {
      memmove(w->buffer, w->buffer + w->next, w->used - w->next);
      w->used -= w->next, looked -= w->next, w->next = 0, w->line = NULL;
    }
    if (w->size - w->used < 4096) {
      if (w->size >= WAYMARK_LINE_LIMIT) { errno = EMSGSIZE; return -1; }
      size_t size = w->size ? w->size * 2 : 65536;
      char *larger = realloc(w->buffer, size);
      if (!larger) return -1;
      w->buffer = larger, w->size = size;
    }
    ssize_t count = read(w->socket, w->buffer + w->used, w->size - w->used);
    if (count == 0) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    w->used += (size_t)count;
  }
}

/* Skips the value at `at`; returns NULL if it is not a value. */
static inline const char *waymark_skip(const char *at) {
  int depth = 0;
  do {
    at += strspn(at, " \t\r");
    if (*at == '"') {
      for (at++; *at && *at != '"'; at++) if (*at == '\\' && at[1]) at++;
      if (*at) at++;
    } else if (*at == '{' || *at == '[') { depth++, at++;
    } else if (*at == '}' || *at == ']') { depth--, at++;
    } else if (*at == ',' || *at == ':') { at++;
    } else { at += strcspn(at, ",:]} \t\r"); }
  } while (depth > 0 && *at);
  return depth == 0 ? at : NULL;
}

/* The value of a member of an object, as it is spelled; NULL if it is missing. */
static inline const char *waymark_member(const char *object, const char *name) {
  size_t length = strlen(name);
  if (!object || *object != '{') return NULL;
  const char *at = object + 1;
  while (at && *(at += strspn(at, " \t\r,")) == '"') {
    const char *key = at + 1;
    if (!(at = waymark_skip(at))) return NULL;
    int is_it = (size_t)(at - 1 - key) == length && !memcmp(key, name, length);
    at += strspn(at, " \t\r:");
    if (is_it) return at;
    at = waymark_skip(at);
  }
  return NULL;
}

/* A string of the current line by its path (`error.message`), with its escapes undone; it holds until the next call. NULL if it is missing. */
static inline const char *waymark_string(struct waymark *w, const char *path) {
  const char *at = w->line;
  char name[128];
  for (;;) {
    size_t length = strcspn(path, ".");
    if (length >= sizeof name) return NULL;
    memcpy(name, path, length), name[length] = 0;
    if (!(at = waymark_member(at, name))) return NULL;
    if (!path[length]) break;
    path += length + 1;
  }
  const char *end = waymark_skip(at);
  if (*at != '"' || !end) return NULL;
  char *text = realloc(w->text, (size_t)(end - at) + 1), *to = text;
  if (!text) return NULL;
  w->text = text;
  for (at++; at < end - 1; at++) {
    if (*at != '\\') { *to++ = *at; continue; }
    unsigned code = 0, low = 0;
    switch (*++at) {
    case 'n': *to++ = '\n'; break;
    case 't': *to++ = '\t'; break;
    case 'r': *to++ = '\r'; break;
    case 'b': *to++ = '\b'; break;
    case 'f': *to++ = '\f'; break;
    case 'u':
      if (sscanf(at + 1, "%4x", &code) != 1) return NULL;
      at += 4;
      if (code >= 0xd800 && code < 0xdc00 && sscanf(at + 1, "\\u%4x", &low) == 1 && low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), at += 6;
      if (code < 0x80) { *to++ = (char)code;
      } else if (code < 0x800) { *to++ = (char)(0xc0 | code >> 6), *to++ = (char)(0x80 | (code & 0x3f));
      } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12), *to++ = (char)(0x80 | (code >> 6 & 0x3f)), *to++ = (char)(0x80 | (code & 0x3f));
      } else {
        *to++ = (char)(0xf0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f)), *to++ = (char)(0x80 | (code & 0x3f));
      }
      break;
    default: *to++ = *at;
    }
  }
  *to = 0;
  return w->text;
}

/* A number of the current line by its name; `otherwise` if it is missing. */
static inline double waymark_number(struct waymark *w, const char *name, double otherwise) {
  const char *at = waymark_member(w->line, name);
  char *end;
  double value = at ? strtod(at, &end) : 0;
  return at && end != at ? value : otherwise;
}

/* Reads up to the next event and leaves it in w->line: 1, 0 at the end of the connection, -1 with errno. */
static inline int waymark_event(struct waymark *w) {
  int result;
  while ((result = waymark_line(w)) == 1)
    if (waymark_member(w->line, "event")) break;
  return result;
}

/* True if the current line is the event of this name. */
static inline int waymark_is(struct waymark *w, const char *event) {
  const char *name = waymark_string(w, "event");
  return name && !strcmp(name, event);
}

/* Sends a request and reads up to its answer, which is left in w->line. Events before it go to `event`, or are lost where that is NULL.
 * 1 for a result, 0 for an error (waymark_string(w, "error.message")), -1 with errno. */
static inline int waymark_request(struct waymark *w, const char *method, const char *params, void (*event)(struct waymark *)) {
  char head[160];
  int length = snprintf(head, sizeof head, "{\"id\":%u,\"method\":\"%s\",\"params\":", ++w->number, method);
  if (length < 0 || (size_t)length >= sizeof head) { errno = EINVAL; return -1; }
  const char *parts[] = {head, params ? params : "{}", "}\n"};
  for (int i = 0; i < 3; i++)
    for (size_t sent = 0, whole = strlen(parts[i]); sent < whole;) {
      ssize_t count = send(w->socket, parts[i] + sent, whole - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return -1;
      sent += (size_t)count;
    }
  for (;;) {
    int result = waymark_line(w);
    if (result < 1) { if (result == 0) errno = ECONNRESET; return -1; }
    if (waymark_member(w->line, "event")) { if (event) event(w);
    } else if (waymark_number(w, "id", -1) == w->number) { return waymark_member(w->line, "error") ? 0 : 1; }
  }
}

/* Connects to `path`, else $WAYMARK_SOCKET, else the system's service, else the user's own, and reads `hello`. NULL with errno. */
static inline struct waymark *waymark_connect(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char own[sizeof address.sun_path];
  if (!path) path = getenv("WAYMARK_SOCKET");
  if (!path) {
    const char *folder = getenv("XDG_RUNTIME_DIR");
    path = "/run/waymark/waymark.sock";
    if (folder && access(path, F_OK) && snprintf(own, sizeof own, "%s/waymark/waymark.sock", folder) < (int)sizeof own) path = own;
  }
  if (strlen(path) >= sizeof address.sun_path) { errno = ENAMETOOLONG; return NULL; }
  strcpy(address.sun_path, path);
  struct waymark *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (w->socket >= 0 && !connect(w->socket, (struct sockaddr *)&address, sizeof address) && waymark_event(w) == 1) return w;
  int error = errno ? errno : ECONNRESET;
  waymark_close(w);
  errno = error;
  return NULL;
}

#endif
