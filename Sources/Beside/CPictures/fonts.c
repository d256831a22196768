#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// Replaces the functions by which poppler and FreeType open the files of fonts that a PDF does not embed, as the sandbox forbids opening
// files. The program exports `fopen` and `FT_New_Face` (Package.swift), so that they take precedence over those of the libraries. Until
// the sandbox is set up, they keep each font file in memory that is read; afterwards they serve these copies.

typedef struct {
  char *path;
  void *bytes;
  size_t size;
} font;

// The most font files that are kept, and the size in bytes from which a file is not kept: enough for the fourteen
// standard fonts, not for CJK collections.
enum { MOST_FONTS = 64, MOST_BYTES = 4 << 20 };

static struct {
  font list[MOST_FONTS];
  size_t count;
  int is_closed;
} kept;

void cpictures_keep_fonts(int keeps) { kept.is_closed = !keeps; }

static const font *find(const char *path) {
  for (size_t i = 0; i < kept.count; i++) {
    if (strcmp(kept.list[i].path, path) == 0) return &kept.list[i];
  }
  return NULL;
}

static FILE *open_file(const char *path, const char *mode) {
  static FILE *(*system_fopen)(const char *, const char *);
  if (!system_fopen) *(void **)&system_fopen = dlsym(RTLD_NEXT, "fopen");
  return system_fopen ? system_fopen(path, mode) : NULL;
}

static const font *keep(const char *path) {
  const font *known = find(path);
  if (known || kept.is_closed || kept.count == MOST_FONTS) return known;
  FILE *file = open_file(path, "rbe");
  if (!file) return NULL;
  char *bytes = malloc(MOST_BYTES), *name = strdup(path);
  size_t size = bytes && name ? fread(bytes, 1, MOST_BYTES, file) : 0;
  fclose(file);
  if (size == 0 || size == MOST_BYTES) {
    free(bytes);
    free(name);
    return NULL;
  }
  char *fitting = realloc(bytes, size);
  kept.list[kept.count] = (font){name, fitting ? fitting : bytes, size};
  return &kept.list[kept.count++];
}

static int is_font(const char *path) {
  static const char *const endings[] = {".ttf", ".otf", ".pfb", ".pfa", ".t1", ".ttc"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t part = strlen(endings[i]);
    if (length > part && strcasecmp(path + length - part, endings[i]) == 0) return 1;
  }
  return 0;
}

__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode);
FILE *fopen(const char *path, const char *mode) {
  if (!path || !mode || mode[0] != 'r' || !is_font(path)) return open_file(path, mode);
  const font *found = keep(path);
  if (found) return fmemopen(found->bytes, found->size, "r");
  return open_file(path, mode);
}

__attribute__((visibility("default"))) int FT_New_Face(void *library, const char *path, long index, void **face);
int FT_New_Face(void *library, const char *path, long index, void **face) {
  enum { CANNOT_OPEN = 1 };
  static int (*from_memory)(void *, const void *, long, long, void **);
  if (!from_memory) {
    void *freetype = dlopen("libfreetype.so.6", RTLD_NOW | RTLD_LOCAL);
    if (freetype) *(void **)&from_memory = dlsym(freetype, "FT_New_Memory_Face");
  }
  const font *found = path ? keep(path) : NULL;
  return found && from_memory ? from_memory(library, found->bytes, (long)found->size, index, face) : CANNOT_OPEN;
}
