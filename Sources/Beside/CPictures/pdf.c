#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// From poppler's glib interface and cairo: opaque handles, and the numbers of their enumerations.
typedef struct document document;
typedef struct sheet sheet;
typedef struct surface surface;
typedef struct context context;
typedef struct {
  uint32_t domain;
  int code;
  char *message;
} glib_error;
enum { FORMAT_RGB24 = 1, ENCRYPTED = 1 };

static struct {
  document *(*open)(char *, int, const char *, glib_error **);
  int (*count)(document *);
  sheet *(*page)(document *, int);
  void (*size)(sheet *, double *, double *);
  void (*render)(sheet *, context *);
} poppler;

static struct {
  void (*unref)(void *);
  void (*free_error)(glib_error *);
} glib;

static struct {
  surface *(*surface)(int, int, int);
  void (*destroy_surface)(surface *);
  int (*surface_status)(surface *);
  uint8_t *(*data)(surface *);
  int (*stride)(surface *);
  void (*flush)(surface *);
  context *(*create)(surface *);
  void (*destroy)(context *);
  void (*colour)(context *, double, double, double);
  void (*paint)(context *);
  void (*scale)(context *, double, double);
} cairo;

// The resolution in dots per inch, which is the usual default of office scanners.
static const double resolution = 300;
// The most pixels of a page, somewhat more than A3 has at this resolution; larger pages are rendered at a lower one.
static const double most_pixels = 20e6;

static int find(void) {
  const cpictures_call in_poppler[] = {
      {"poppler_document_new_from_data", (void **)&poppler.open},
      {"poppler_document_get_n_pages", (void **)&poppler.count},
      {"poppler_document_get_page", (void **)&poppler.page},
      {"poppler_page_get_size", (void **)&poppler.size},
      {"poppler_page_render", (void **)&poppler.render},
  };
  const cpictures_call in_glib[] = {
      {"g_object_unref", (void **)&glib.unref},
  };
  const cpictures_call in_errors[] = {
      {"g_error_free", (void **)&glib.free_error},
  };
  const cpictures_call in_cairo[] = {
      {"cairo_image_surface_create", (void **)&cairo.surface},
      {"cairo_surface_destroy", (void **)&cairo.destroy_surface},
      {"cairo_surface_status", (void **)&cairo.surface_status},
      {"cairo_image_surface_get_data", (void **)&cairo.data},
      {"cairo_image_surface_get_stride", (void **)&cairo.stride},
      {"cairo_surface_flush", (void **)&cairo.flush},
      {"cairo_create", (void **)&cairo.create},
      {"cairo_destroy", (void **)&cairo.destroy},
      {"cairo_set_source_rgb", (void **)&cairo.colour},
      {"cairo_paint", (void **)&cairo.paint},
      {"cairo_scale", (void **)&cairo.scale},
  };
  int problem = cpictures_find((const char *const[]){"libpoppler-glib.so.8", NULL}, in_poppler, sizeof in_poppler / sizeof *in_poppler);
  if (!problem) problem = cpictures_find((const char *const[]){"libgobject-2.0.so.0", NULL}, in_glib, sizeof in_glib / sizeof *in_glib);
  if (!problem) problem = cpictures_find((const char *const[]){"libglib-2.0.so.0", NULL}, in_errors, sizeof in_errors / sizeof *in_errors);
  if (!problem) problem = cpictures_find((const char *const[]){"libcairo.so.2", NULL}, in_cairo, sizeof in_cairo / sizeof *in_cairo);
  return problem;
}

// The standard fonts, which a PDF need not embed (ISO 32000-1, 9.6.2.2). Rendering a page with a letter of each makes the libraries read
// the fonts' files.
static const char *const usual_fonts[] = {
    "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique", "Times-Roman", "Times-Bold", "Times-Italic",
    "Times-BoldItalic", "Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique", "Symbol", "ZapfDingbats",
};

int cpictures_load_pdf(void) {
  int problem = find();
  if (problem) return problem;
  for (size_t i = 0; i < sizeof usual_fonts / sizeof *usual_fonts; i++) {
    char sample[1024];
    int size = snprintf(
        sample, sizeof sample,
        "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 20]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
        "4 0 obj<</Length 31>>stream\nBT /F 12 Tf 4 4 Td (A) Tj ET  \n\nendstream endobj\n"
        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/%s>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n",
        usual_fonts[i]);
    const cpictures_request request = {(const uint8_t *)sample, (size_t)size, 0, 1 << 20, 1};
    cpictures_page page = {0};
    cpictures_pdf(&request, &page);
    free(page.pixels);
  }
  cpictures_keep_fonts(0);
  return 0;
}

// Copies rows of blue, green, red and an unused byte; as gray if all pixels are gray.
static void copy(const uint8_t *rows, size_t stride, cpictures_page *page) {
  uint8_t *out = page->pixels;
  int gray = 1;
  for (uint32_t y = 0; y < page->height && gray; y++) {
    const uint8_t *in = rows + y * stride;
    for (uint32_t x = 0; x < page->width; x++, in += 4) gray &= in[0] == in[1] && in[1] == in[2];
  }
  page->channels = gray ? 1 : 3;
  for (uint32_t y = 0; y < page->height; y++) {
    const uint8_t *in = rows + y * stride;
    for (uint32_t x = 0; x < page->width; x++, in += 4) {
      if (!gray) *out++ = in[2], *out++ = in[1];
      *out++ = in[0];
    }
  }
}

static int draw(sheet *from, const cpictures_request *request, cpictures_page *page) {
  double width = 0, height = 0;
  poppler.size(from, &width, &height);
  if (!(width > 0 && height > 0 && width < 1e6 && height < 1e6)) return CPICTURES_DAMAGED;
  double scale = resolution / 72;
  if (width * height * scale * scale > most_pixels) scale = sqrt(most_pixels / (width * height));
  double columns = ceil(width * scale), lines = ceil(height * scale);
  if (columns > 32000 || lines > 32000) return CPICTURES_LARGE;
  int taken = cpictures_take((uint32_t)columns, (uint32_t)lines, 3, request, page);
  if (taken) return taken;
  surface *paper = cairo.surface(FORMAT_RGB24, (int)columns, (int)lines);
  if (!paper || cairo.surface_status(paper)) {
    if (paper) cairo.destroy_surface(paper);
    return CPICTURES_MEMORY;
  }
  context *pen = cairo.create(paper);
  cairo.colour(pen, 1, 1, 1);
  cairo.paint(pen);
  cairo.scale(pen, scale, scale);
  poppler.render(from, pen);
  cairo.destroy(pen);
  cairo.flush(paper);
  const uint8_t *rows = cairo.data(paper);
  if (rows) copy(rows, (size_t)cairo.stride(paper), page);
  cairo.destroy_surface(paper);
  return rows ? CPICTURES_OK : CPICTURES_DAMAGED;
}

int cpictures_pdf(const cpictures_request *request, cpictures_page *page) {
  if (request->size > INT_MAX) return CPICTURES_MEMORY;
  glib_error *error = NULL;
  document *file = poppler.open((char *)(uintptr_t)request->data, (int)request->size, NULL, &error);
  if (!file) {
    int result = error && error->code == ENCRYPTED ? CPICTURES_LOCKED : CPICTURES_DAMAGED;
    if (error) glib.free_error(error);
    return result;
  }
  int count = poppler.count(file), result = CPICTURES_NO_PAGE;
  page->pages = count > 0 ? (uint32_t)count : 0;
  if (page->pages > request->page_limit) page->pages = request->page_limit;
  if (request->number < page->pages) {
    sheet *wanted = poppler.page(file, (int)request->number);
    result = wanted ? draw(wanted, request, page) : CPICTURES_DAMAGED;
    if (wanted) glib.unref(wanted);
  }
  glib.unref(file);
  return result;
}
