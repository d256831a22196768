#include "ctesseract.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// From Tesseract's capi.h, version 5.3: opaque handles and values of enumerations.
typedef struct api api;
typedef struct results results;
typedef struct choices choices;
enum { OEM_LSTM_ONLY = 1, PSM_SINGLE_LINE = 7, RIL_WORD = 3, RIL_SYMBOL = 4 };

static struct {
  api *(*create)(void);
  void (*destroy)(api *);
  int (*init)(api *, const char *, const char *, int);
  int (*set)(api *, const char *, const char *);
  void (*set_mode)(api *, int);
  void (*set_image)(api *, const unsigned char *, int, int, int, int);
  void (*set_resolution)(api *, int);
  int (*recognize)(api *, void *);
  void (*clear)(api *);
  results *(*iterator)(api *);
  void (*delete_results)(results *);
  int (*next)(results *, int);
  char *(*text)(const results *, int);
  float (*confidence)(const results *, int);
  void (*delete_text)(const char *);
  // A result iterator is also a page iterator, so these functions accept both.
  int (*begins)(const results *, int);
  int (*box)(const results *, int, int *, int *, int *, int *);
  choices *(*choice)(const results *);
  void (*delete_choices)(choices *);
  int (*next_choice)(choices *);
  const char *(*choice_text)(const choices *);
  float (*choice_confidence)(const choices *);
} calls;

struct ctesseract {
  api *base;
};

int ctesseract_load(void) {
  // The OpenMP runtime reads this variable when it is loaded. It must start no threads, because the process sets up its sandbox afterwards.
  setenv("OMP_THREAD_LIMIT", "1", 1);
  void *library = dlopen("libtesseract.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return ELIBACC;
  const struct {
    const char *name;
    void **place;
  } wanted[] = {
      {"TessBaseAPICreate", (void **)&calls.create},
      {"TessBaseAPIDelete", (void **)&calls.destroy},
      {"TessBaseAPIInit2", (void **)&calls.init},
      {"TessBaseAPISetVariable", (void **)&calls.set},
      {"TessBaseAPISetPageSegMode", (void **)&calls.set_mode},
      {"TessBaseAPISetImage", (void **)&calls.set_image},
      {"TessBaseAPISetSourceResolution", (void **)&calls.set_resolution},
      {"TessBaseAPIRecognize", (void **)&calls.recognize},
      {"TessBaseAPIClear", (void **)&calls.clear},
      {"TessBaseAPIGetIterator", (void **)&calls.iterator},
      {"TessResultIteratorDelete", (void **)&calls.delete_results},
      {"TessResultIteratorNext", (void **)&calls.next},
      {"TessResultIteratorGetUTF8Text", (void **)&calls.text},
      {"TessResultIteratorConfidence", (void **)&calls.confidence},
      {"TessDeleteText", (void **)&calls.delete_text},
      {"TessPageIteratorIsAtBeginningOf", (void **)&calls.begins},
      {"TessPageIteratorBoundingBox", (void **)&calls.box},
      {"TessResultIteratorGetChoiceIterator", (void **)&calls.choice},
      {"TessChoiceIteratorDelete", (void **)&calls.delete_choices},
      {"TessChoiceIteratorNext", (void **)&calls.next_choice},
      {"TessChoiceIteratorGetUTF8Text", (void **)&calls.choice_text},
      {"TessChoiceIteratorConfidence", (void **)&calls.choice_confidence},
  };
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
    *wanted[i].place = dlsym(library, wanted[i].name);
    if (!*wanted[i].place) return ELIBBAD;
  }
  return 0;
}

ctesseract *ctesseract_open(const char *folder, const char *languages) {
  if (!calls.create) return NULL;
  ctesseract *reader = calloc(1, sizeof(*reader));
  if (!reader) return NULL;
  reader->base = calls.create();
  if (!reader->base || calls.init(reader->base, folder, languages, OEM_LSTM_ONLY)) {
    ctesseract_close(reader);
    return NULL;
  }
  calls.set_mode(reader->base, PSM_SINGLE_LINE);
  // Reports the alternatives of each symbol.
  calls.set(reader->base, "lstm_choice_mode", "2");
  return reader;
}

void ctesseract_close(ctesseract *reader) {
  if (!reader) return;
  if (reader->base) calls.destroy(reader->base);
  free(reader);
}

// Copies a text if it fits; a truncated character would be invalid.
static int keep(ctesseract_choice *choice, const char *text, float confidence) {
  size_t length = text ? strlen(text) : 0;
  if (!length || length >= CTESSERACT_TEXT) return 0;
  memcpy(choice->text, text, length + 1);
  choice->confidence = confidence;
  return 1;
}

static void keep_choices(results *place, ctesseract_symbol *symbol) {
  choices *list = calls.choice(place);
  if (!list) return;
  do {
    const char *text = calls.choice_text(list);
    ctesseract_choice *free_one = &symbol->choices[symbol->choice_count];
    if (keep(free_one, text, calls.choice_confidence(list))) symbol->choice_count++;
  } while (symbol->choice_count < CTESSERACT_CHOICES && calls.next_choice(list));
  calls.delete_choices(list);
}

int ctesseract_read(ctesseract *reader, const uint8_t *pixels, int width, int height, const char *alphabet,
                    ctesseract_symbol *symbols, int limit) {
  if (!reader || width <= 0 || height <= 0) return -1;
  calls.set(reader->base, "tessedit_char_whitelist", alphabet);
  calls.set_image(reader->base, pixels, width, height, 1, width);
  calls.set_resolution(reader->base, 300);
  int count = 0;
  if (calls.recognize(reader->base, NULL)) {
    count = -1;
  } else {
    results *place = calls.iterator(reader->base);
    if (place) {
      do {
        if (count >= limit) break;
        ctesseract_symbol *symbol = &symbols[count];
        memset(symbol, 0, sizeof(*symbol));
        char *text = calls.text(place, RIL_SYMBOL);
        if (keep(&symbol->best, text, calls.confidence(place, RIL_SYMBOL))) {
          int top, bottom;
          calls.box(place, RIL_SYMBOL, &symbol->left, &top, &symbol->right, &bottom);
          symbol->begins_word = calls.begins(place, RIL_WORD);
          keep_choices(place, symbol);
          count++;
        }
        if (text) calls.delete_text(text);
      } while (calls.next(place, RIL_SYMBOL));
      calls.delete_results(place);
    }
  }
  calls.clear(reader->base);
  return count;
}
