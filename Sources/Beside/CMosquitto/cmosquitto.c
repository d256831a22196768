#include "cmosquitto.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The names, and nothing else, are the library's: its own header need not be there. Property lists are opaque.
struct mosquitto;
typedef struct mqtt5__property property;

typedef void (*connect_callback)(struct mosquitto *, void *, int, int, const property *);
typedef void (*reason_callback)(struct mosquitto *, void *, int, const property *);
typedef void (*publish_callback)(struct mosquitto *, void *, int, int, const property *);
#if __has_include(<mosquitto.h>)
#include <mosquitto.h>
_Static_assert(sizeof(struct mosquitto_message) == sizeof(struct cmosquitto_message), "a message is laid out otherwise");
_Static_assert(offsetof(struct mosquitto_message, payloadlen) == offsetof(struct cmosquitto_message, payloadlen), "");
_Static_assert(offsetof(struct mosquitto_message, retain) == offsetof(struct cmosquitto_message, retain), "");
_Static_assert(MOSQ_OPT_PROTOCOL_VERSION == 1 && MOSQ_OPT_SEND_MAXIMUM == 5 && MOSQ_OPT_TCP_NODELAY == 11 &&
                   MOSQ_OPT_TLS_USE_OS_CERTS == 13 && MQTT_PROTOCOL_V5 == 5 && MQTT_PROTOCOL_V311 == 4,
               "an option has another number");
typedef const struct mosquitto_message message_type;
#define LIKE(name) _Static_assert(__builtin_types_compatible_p(__typeof__(library.name), __typeof__(&mosquitto_##name)), #name)
#else
typedef const struct cmosquitto_message message_type;
#endif
typedef void (*message_callback)(struct mosquitto *, void *, message_type *, const property *);

static struct {
  int (*lib_version)(int *, int *, int *);
  int (*lib_init)(void);
  struct mosquitto *(*new)(const char *, bool, void *);
  void (*destroy)(struct mosquitto *);
  int (*int_option)(struct mosquitto *, unsigned, int);
  int (*username_pw_set)(struct mosquitto *, const char *, const char *);
  int (*will_set)(struct mosquitto *, const char *, int, const void *, int, bool);
  int (*tls_set)(struct mosquitto *, const char *, const char *, const char *, const char *,
                 int (*)(char *, int, int, void *));
  int (*tls_opts_set)(struct mosquitto *, int, const char *, const char *);
  int (*connect)(struct mosquitto *, const char *, int, int);
  int (*disconnect)(struct mosquitto *);
  int (*publish)(struct mosquitto *, int *, const char *, int, const void *, int, bool);
  int (*subscribe_v5)(struct mosquitto *, int *, const char *, int, int, const property *);
  int (*subscribe)(struct mosquitto *, int *, const char *, int);
  int (*socket)(struct mosquitto *);
  bool (*want_write)(struct mosquitto *);
  int (*loop_read)(struct mosquitto *, int);
  int (*loop_write)(struct mosquitto *, int);
  int (*loop_misc)(struct mosquitto *);
  const char *(*strerror)(int);
  const char *(*reason_string)(int);
  const char *(*connack_string)(int);
  void (*connect_v5_callback_set)(struct mosquitto *, connect_callback);
  void (*disconnect_v5_callback_set)(struct mosquitto *, reason_callback);
  void (*publish_v5_callback_set)(struct mosquitto *, publish_callback);
  void (*message_v5_callback_set)(struct mosquitto *, message_callback);
} library;

#ifdef LIKE
LIKE(lib_version); LIKE(lib_init); LIKE(new); LIKE(destroy); LIKE(int_option); LIKE(username_pw_set); LIKE(will_set);
LIKE(tls_set); LIKE(tls_opts_set); LIKE(connect); LIKE(disconnect); LIKE(publish); LIKE(subscribe); LIKE(socket);
LIKE(subscribe_v5); LIKE(want_write); LIKE(loop_read); LIKE(loop_write); LIKE(loop_misc); LIKE(strerror);
LIKE(reason_string); LIKE(connack_string); LIKE(connect_v5_callback_set); LIKE(disconnect_v5_callback_set);
LIKE(publish_v5_callback_set); LIKE(message_v5_callback_set);
#endif

struct cmosquitto {
  struct mosquitto *handle;
  cmosquitto_callbacks callbacks;
  bool version_5;
};

static char version[40];

const char *cmosquitto_load(void) {
  static const struct {
    void *place;
    const char *name;
  } symbols[] = {
#define SYMBOL(name) {&library.name, "mosquitto_" #name}
      SYMBOL(lib_version), SYMBOL(lib_init), SYMBOL(new), SYMBOL(destroy), SYMBOL(int_option), SYMBOL(username_pw_set),
      SYMBOL(will_set), SYMBOL(tls_set), SYMBOL(tls_opts_set), SYMBOL(connect), SYMBOL(disconnect), SYMBOL(publish),
      SYMBOL(subscribe_v5), SYMBOL(subscribe), SYMBOL(socket), SYMBOL(want_write), SYMBOL(loop_read),
      SYMBOL(loop_write), SYMBOL(loop_misc), SYMBOL(strerror), SYMBOL(reason_string), SYMBOL(connack_string),
      SYMBOL(connect_v5_callback_set), SYMBOL(disconnect_v5_callback_set), SYMBOL(publish_v5_callback_set),
      SYMBOL(message_v5_callback_set),
  };
  if (version[0]) return NULL;
  void *file = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!file) return "libmosquitto.so.1 is not installed";
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(file, symbols[i].name);
    if (!symbol) return "libmosquitto.so.1 is older than 2.0";
    memcpy(symbols[i].place, &symbol, sizeof symbol);
  }
  int major, minor, revision;
  library.lib_version(&major, &minor, &revision);
  if (major < 2) return "libmosquitto.so.1 is older than 2.0";
  if (library.lib_init() != 0) return "libmosquitto.so.1 cannot be initialised";
  snprintf(version, sizeof version, "%d.%d.%d", major, minor, revision);
  return NULL;
}

const char *cmosquitto_version(void) { return version; }

static void on_connect(struct mosquitto *handle, void *context, int reason, int flags, const property *properties) {
  (void)handle, (void)flags, (void)properties;
  cmosquitto *own = context;
  own->callbacks.connected(own->callbacks.context, reason);
}

static void on_disconnect(struct mosquitto *handle, void *context, int reason, const property *properties) {
  (void)handle, (void)properties;
  cmosquitto *own = context;
  own->callbacks.disconnected(own->callbacks.context, reason);
}

static void on_publish(struct mosquitto *handle, void *context, int message, int reason, const property *properties) {
  (void)handle, (void)properties;
  cmosquitto *own = context;
  own->callbacks.arrived(own->callbacks.context, message, reason);
}

static void on_message(struct mosquitto *handle, void *context, message_type *message, const property *properties) {
  (void)handle, (void)properties;
  cmosquitto *own = context;
  size_t count = message->payloadlen > 0 ? (size_t)message->payloadlen : 0;
  own->callbacks.received(own->callbacks.context, message->topic, message->payload, count, message->retain);
}

/// A key with a pass phrase would ask at the terminal; a service has none.
static int no_pass_phrase(char *buffer, int size, int purpose, void *context) {
  (void)purpose, (void)context;
  if (size > 0) buffer[0] = 0;
  return 0;
}

cmosquitto *cmosquitto_connect(const cmosquitto_options *options, const cmosquitto_callbacks *callbacks,
                               const char **reason) {
  *reason = "no memory";
  cmosquitto *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  own->callbacks = *callbacks;
  own->version_5 = options->version_5;
  // A clean session: what was not acknowledged is sent again by ourselves, from the disk.
  own->handle = library.new(options->client_id, true, own);
  int result = own->handle ? 0 : 1;
  if (!result) result = library.int_option(own->handle, 1 /* MOSQ_OPT_PROTOCOL_VERSION */, own->version_5 ? 5 : 4);
  if (!result) result = library.int_option(own->handle, 5 /* MOSQ_OPT_SEND_MAXIMUM */, options->window);
  if (!result) result = library.int_option(own->handle, 11 /* MOSQ_OPT_TCP_NODELAY */, 1);
  if (!result && options->username) result = library.username_pw_set(own->handle, options->username, options->password);
  if (!result && options->will_topic)
    result = library.will_set(own->handle, options->will_topic, (int)strlen(options->will_payload),
                              options->will_payload, 1, true);
  if (!result && options->tls) {
    if (options->ca_file)
      result = library.tls_set(own->handle, options->ca_file, NULL, options->certificate_file, options->key_file,
                               no_pass_phrase);
    else
      // The folder where Debian's ca-certificates puts the system's authorities.
      result = library.tls_set(own->handle, NULL, "/etc/ssl/certs", options->certificate_file, options->key_file,
                               no_pass_phrase);
    // 1: SSL_VERIFY_PEER. The broker's name is compared, too, since nobody says otherwise.
    if (!result) result = library.tls_opts_set(own->handle, 1, "tlsv1.2", NULL);
  }
  if (!result) {
    library.connect_v5_callback_set(own->handle, on_connect);
    library.disconnect_v5_callback_set(own->handle, on_disconnect);
    library.publish_v5_callback_set(own->handle, on_publish);
    library.message_v5_callback_set(own->handle, on_message);
    result = library.connect(own->handle, options->host, options->port, options->keep_alive);
  }
  if (!result) return own;
  // Of MOSQ_ERR_ERRNO (14) the system knows more.
  *reason = result == 14 ? NULL : library.strerror(result);
  cmosquitto_free(own);
  return NULL;
}

void cmosquitto_free(cmosquitto *connection) {
  if (!connection) return;
  if (connection->handle) library.destroy(connection->handle);
  free(connection);
}

int cmosquitto_socket(cmosquitto *connection) { return library.socket(connection->handle); }

bool cmosquitto_wants_write(cmosquitto *connection) { return library.want_write(connection->handle); }

int cmosquitto_turn(cmosquitto *connection, bool readable, bool writable) {
  int result = 0;
  if (readable) result = library.loop_read(connection->handle, 1);
  if (!result && writable) result = library.loop_write(connection->handle, 1);
  if (!result) result = library.loop_misc(connection->handle);
  return result;
}

int cmosquitto_publish(cmosquitto *connection, int *message, const char *topic, const void *payload, int count, int qos,
                       bool retain) {
  return library.publish(connection->handle, message, topic, count, payload, qos, retain);
}

int cmosquitto_subscribe(cmosquitto *connection, const char *filter) {
  // 0x20: no retained messages (MQTT 5, 3.8.3.1); older brokers deliver them, marked.
  if (connection->version_5) return library.subscribe_v5(connection->handle, NULL, filter, 1, 0x20, NULL);
  return library.subscribe(connection->handle, NULL, filter, 1);
}

int cmosquitto_goodbye(cmosquitto *connection) { return library.disconnect(connection->handle); }

const char *cmosquitto_text(int error) { return library.strerror(error); }

const char *cmosquitto_reason_text(cmosquitto *connection, int reason) {
  return connection->version_5 ? library.reason_string(reason) : library.connack_string(reason);
}
