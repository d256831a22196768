// Tesseract's recognition network, loaded at run time, so that programs build and start without Tesseract.
#pragma once
#include <stdint.h>

enum {
  CTESSERACT_TEXT = 16,    // the bytes of a symbol, including its NUL
  CTESSERACT_CHOICES = 4,  // the largest number of alternatives of a symbol
};

typedef struct {
  char text[CTESSERACT_TEXT];
  float confidence;  // 0 to 100
} ctesseract_choice;

typedef struct {
  ctesseract_choice best;
  ctesseract_choice choices[CTESSERACT_CHOICES];
  int32_t choice_count;
  int32_t left, right;   // the columns of the symbol, in pixels of the picture
  int32_t begins_word;
} ctesseract_symbol;

typedef struct ctesseract ctesseract;

// Loads libtesseract.so.5. Returns 0, or an errno if the library is missing or lacks a function. Call it once, on one thread,
// before all other functions.
int ctesseract_load(void);

// Creates a network for languages such as "eng+deu", whose models are in `folder`; NULL if they cannot be loaded.
ctesseract *ctesseract_open(const char *folder, const char *languages);
void ctesseract_close(ctesseract *reader);

// Reads a gray picture of a single line, dark on light. `alphabet`: the allowed characters; empty: all. Returns the number of
// symbols written, at most `limit`; -1 on failure.
int ctesseract_read(ctesseract *reader, const uint8_t *pixels, int width, int height, const char *alphabet,
                    ctesseract_symbol *symbols, int limit);
