#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H
#include <stdbool.h>
#include <stddef.h>

// What the bridge needs of Debian's libmosquitto (2.0, soname 1), found when it is run and not when it is built: the base is built and
// installed by many who have no broker, and needs nothing for it. Where the library's header is there, the compiler compares.

/// A message as the library hands it over.
struct cmosquitto_message {
  int mid;
  char *topic;
  void *payload;
  int payloadlen;
  int qos;
  bool retain;
};

/// What happens on a connection; called from within `cmosquitto_turn`.
typedef struct {
  void *context;
  /// The broker has let us in (0), or why not.
  void (*connected)(void *context, int reason);
  /// The connection is over.
  void (*disconnected)(void *context, int reason);
  /// The broker has the message of this number (reason below 128), or refuses it.
  void (*arrived)(void *context, int message, int reason);
  /// A message came in.
  void (*received)(void *context, const char *topic, const void *payload, size_t count, bool retained);
} cmosquitto_callbacks;

/// What to connect to, and as whom. Pointers may be null where something is not wanted.
typedef struct {
  const char *host;
  int port;
  int keep_alive;
  int window;
  bool version_5;
  const char *client_id;
  const char *username;
  const char *password;
  bool tls;
  const char *ca_file;
  const char *certificate_file;
  const char *key_file;
  const char *will_topic;
  const char *will_payload;
} cmosquitto_options;

typedef struct cmosquitto cmosquitto;

/// Finds the library; null, or a word on why it cannot be used. To be called before everything else, from one thread.
const char *cmosquitto_load(void);
/// The version that was found, such as 2.0.11.
const char *cmosquitto_version(void);
/// Begins to connect: the network is reached when this comes back, `connected` tells whether the broker lets us in.
/// On failure null; `reason` then holds a text of the library's that stays.
cmosquitto *cmosquitto_connect(const cmosquitto_options *options, const cmosquitto_callbacks *callbacks,
                               const char **reason);
/// Releases a connection without telling the broker, which publishes the last will.
void cmosquitto_free(cmosquitto *connection);
/// The socket; -1 when it is closed.
int cmosquitto_socket(cmosquitto *connection);
/// Whether something waits to be written.
bool cmosquitto_wants_write(cmosquitto *connection);
/// Reads and writes what can be without waiting. Not 0 when the connection is over; `cmosquitto_text` says why.
int cmosquitto_turn(cmosquitto *connection, bool readable, bool writable);
/// Hands over a message. 0, or why not.
int cmosquitto_publish(cmosquitto *connection, int *message, const char *topic, const void *payload, int count, int qos,
                       bool retain);
/// Asks for the messages of a filter, QoS 1, without retained ones where the broker can.
int cmosquitto_subscribe(cmosquitto *connection, const char *filter);
/// Says goodbye: no last will.
int cmosquitto_goodbye(cmosquitto *connection);
/// The words of an error.
const char *cmosquitto_text(int error);
/// The words of a reason of the broker.
const char *cmosquitto_reason_text(cmosquitto *connection, int reason);
#endif
