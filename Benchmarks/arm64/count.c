// A plugin of qemu-user that counts the instructions a program executes, and writes their number to the file it is given. The few declarations
// are those of version 1 of qemu's plugins (include/qemu/qemu-plugin.h), whose header Debian does not package. Counting is exact where one
// thread works.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum operation { add_64 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum operation operation, void *counter, uint64_t count);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static uint64_t executed;

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, add_64, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *path) {
  (void)id;
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%llu\n", (unsigned long long)executed);
  fclose(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments) {
  (void)info;
  if (count != 1 || strncmp(arguments[0], "count=", 6) != 0) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, strdup(arguments[0] + 6));
  return 0;
}
