// Tesseract's recognition network, found at run time: a program that is built with this needs no Tesseract, neither to be built nor to start.
#pragma once
#include <stdint.h>

enum {
  CTESSERACT_TEXT = 16,    // bytes of a symbol, its NUL included
  CTESSERACT_CHOICES = 4,  // what else a symbol may be
};

typedef struct {
  char text[CTESSERACT_TEXT];
  float confidence;  // 0 to 100
} ctesseract_choice;

typedef struct {
  ctesseract_choice best;
  ctesseract_choice choices[CTESSERACT_CHOICES];
  int32_t choice_count;
  int32_t left, right;   // pixels of the picture that was read
  int32_t begins_word;
} ctesseract_symbol;

typedef struct ctesseract ctesseract;

// Loads libtesseract.so.5; 0, or an errno where it is not there or lacks a function. One thread, before anything else.
int ctesseract_load(void);

// A network for languages such as "eng+deu", whose models lie in `folder`; NULL where they cannot be loaded.
ctesseract *ctesseract_open(const char *folder, const char *languages);
void ctesseract_close(ctesseract *reader);

// Reads a gray picture of a single line, dark on light. `alphabet`: only these characters, all of them when empty.
// How many symbols were written, at most `limit`; -1 on failure.
int ctesseract_read(ctesseract *reader, const uint8_t *pixels, int width, int height, const char *alphabet,
                    ctesseract_symbol *symbols, int limit);
