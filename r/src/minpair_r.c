/* .Call over libminpair: Arrow streams become data frames. The library is opened when the package is loaded, from the package's own
 * folder or from where it is told. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

#include "minpair.h"

/* --- the library --- */

#define FUNCTIONS(F)                                                                                                            \
  F(message, const char*, (void))                                                                                              \
  F(version, const char*, (void))                                                                                              \
  F(api, int, (void))                                                                                                          \
  F(add_home, minpair_status, (const char*))                                                                                   \
  F(list, minpair_status, (const char*, struct ArrowArrayStream*))                                                             \
  F(load, minpair_status, (const char*, const minpair_load_options*, minpair_model**))                                         \
  F(free_model, void, (minpair_model*))                                                                                        \
  F(about, minpair_status, (minpair_model*, struct ArrowArrayStream*))                                                         \
  F(tokenize, minpair_status, (minpair_model*, const char* const*, size_t, int, struct ArrowArrayStream*))                     \
  F(score, minpair_status,                                                                                                     \
    (minpair_model*, const char* const*, size_t, const minpair_score_options*, struct ArrowArrayStream*))                      \
  F(predict, minpair_status,                                                                                                   \
    (minpair_model*, const char* const*, const char* const*, size_t, uint32_t, minpair_progress, void*,                        \
     struct ArrowArrayStream*))                                                                                                \
  F(states, minpair_status,                                                                                                    \
    (minpair_model*, const char* const*, size_t, int, minpair_progress, void*, struct ArrowArrayStream*)) \
  F(command, minpair_status, (const char*, const minpair_arguments*, struct ArrowArrayStream*))

#define DECLARE(name, result, arguments) static result(*lib_##name) arguments;
FUNCTIONS(DECLARE)

static void open_library(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) Rf_error("libminpair could not be opened: %s", dlerror());
#define FIND(name, result, arguments)                                          \
  *(void**)(&lib_##name) = dlsym(handle, "minpair_" #name);                    \
  if (!lib_##name) Rf_error("%s has no minpair_%s", path, #name);
  FUNCTIONS(FIND)
  if (lib_api() != 2) Rf_error("%s speaks another interface than this package", path);
}

static void check(minpair_status status) {
  if (status != MINPAIR_OK) Rf_error("%s", lib_message());
}

/* Ctrl-C: asked for without jumping out of the library's frames. */
static void look(void* ignored) {
  (void)ignored;
  R_CheckUserInterrupt();
}
/* `user`: NULL, or an R function that is told how far the work is; an error in it stops the work. */
static int wants_to_stop(void* user, uint64_t done, uint64_t total) {
  int failed = 0;
  if (user) {
    SEXP call = PROTECT(Rf_lang3((SEXP)user, PROTECT(Rf_ScalarReal((double)done)), PROTECT(Rf_ScalarReal((double)total))));
    R_tryEval(call, R_GlobalEnv, &failed);
    UNPROTECT(3);
  }
  return failed || R_ToplevelExec(look, NULL) == FALSE;
}

/* --- from R --- */

static const char* text_or_null(SEXP x) {
  if (Rf_isNull(x) || Rf_length(x) == 0) return NULL;
  return Rf_translateCharUTF8(STRING_ELT(x, 0));
}

static const char** texts_of(SEXP x) {
  R_xlen_t n = Rf_xlength(x);
  const char** texts = (const char**)R_alloc(n ? n : 1, sizeof(char*));
  for (R_xlen_t i = 0; i < n; ++i) {
    if (STRING_ELT(x, i) == NA_STRING) Rf_error("text %d is NA", (int)i + 1);
    texts[i] = Rf_translateCharUTF8(STRING_ELT(x, i));
  }
  return texts;
}

static minpair_model* model_of(SEXP x) {
  minpair_model* model = R_ExternalPtrAddr(x);
  if (!model) Rf_error("the model is gone; load it again: a model does not outlive its session");
  return model;
}

static void drop_model(SEXP x) {
  lib_free_model(R_ExternalPtrAddr(x));
  R_ClearExternalPtr(x);
}

/* --- to R --- */

static int has(const struct ArrowArray* c, int64_t row) {
  const uint8_t* valid = c->buffers[0];
  return !valid || (valid[row / 8] >> (row % 8) & 1);
}

static SEXP new_column(const char* format, int64_t rows) {
  if (format[0] == 'u') return Rf_allocVector(STRSXP, rows);
  if (format[0] == 'b') return Rf_allocVector(LGLSXP, rows);
  if (format[0] == '+') return Rf_allocVector(VECSXP, rows);
  return Rf_allocVector(REALSXP, rows);  /* integers as well: they are below 2^53 */
}

static void fill_cell(SEXP column, const char* format, const struct ArrowArray* c, int64_t row, int64_t to) {
  if (format[0] == 'u') {
    const int32_t* at = c->buffers[1];
    SET_STRING_ELT(column, to, !has(c, row) ? NA_STRING
                                            : Rf_mkCharLenCE((const char*)c->buffers[2] + at[row], at[row + 1] - at[row], CE_UTF8));
  } else if (format[0] == 'b') {
    LOGICAL(column)[to] = has(c, row) ? (((const uint8_t*)c->buffers[1])[row / 8] >> (row % 8) & 1) : NA_LOGICAL;
  } else if (format[0] == 'l') {
    REAL(column)[to] = has(c, row) ? (double)((const int64_t*)c->buffers[1])[row] : NA_REAL;
  } else if (format[0] == 'g') {
    REAL(column)[to] = has(c, row) ? ((const double*)c->buffers[1])[row] : NA_REAL;
  } else {
    int width = atoi(format + 3);
    SEXP values = Rf_allocVector(REALSXP, width);
    SET_VECTOR_ELT(column, to, values);
    for (int i = 0; i < width; ++i) REAL(values)[i] = ((const float*)c->children[0]->buffers[1])[row * width + i];
  }
}

/* All batches of a stream; released when R's memory is, whatever happens on the way. */
typedef struct {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray* batches;
  size_t count, room;
} Taken;

static void drop_taken(SEXP x) {
  Taken* t = R_ExternalPtrAddr(x);
  if (!t) return;
  for (size_t i = 0; i < t->count; ++i)
    if (t->batches[i].release) t->batches[i].release(&t->batches[i]);
  if (t->schema.release) t->schema.release(&t->schema);
  if (t->stream.release) t->stream.release(&t->stream);
  free(t->batches);
  free(t);
  R_ClearExternalPtr(x);
}

static Taken* new_taken(SEXP* keeper) {
  Taken* t = calloc(1, sizeof *t);
  if (!t) Rf_error("out of memory");
  *keeper = PROTECT(R_MakeExternalPtr(t, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(*keeper, drop_taken, TRUE);
  return t;
}

static int64_t take_batches(Taken* t) {
  int64_t rows = 0;
  if (t->stream.get_schema(&t->stream, &t->schema)) Rf_error("%s", t->stream.get_last_error(&t->stream));
  for (;;) {
    if (t->count == t->room) {
      t->room = t->room ? 2 * t->room : 8;
      struct ArrowArray* more = realloc(t->batches, t->room * sizeof *more);
      if (!more) Rf_error("out of memory");
      t->batches = more;
    }
    if (t->stream.get_next(&t->stream, &t->batches[t->count])) Rf_error("%s", t->stream.get_last_error(&t->stream));
    if (!t->batches[t->count].release) return rows;
    rows += t->batches[t->count++].length;
  }
}

/* The lines of the schema's metadata "notes": R's NULL where there are none. Arrow's layout: a number of pairs, then each text with its
 * length before it. */
static SEXP notes_of(const struct ArrowSchema* schema) {
  const char* at = schema->metadata;
  int32_t pairs = 0, size = 0;
  if (at) memcpy(&pairs, at, sizeof pairs), at += sizeof pairs;
  for (int is_notes = 0; pairs-- > 0;)
    for (int value = 0; value < 2; ++value, at += size) {
      memcpy(&size, at, sizeof size), at += sizeof size;
      if (value && is_notes) return Rf_ScalarString(Rf_mkCharLenCE(at, size, CE_UTF8));
      is_notes = size == 5 && memcmp(at, "notes", 5) == 0;
    }
  return R_NilValue;
}

static SEXP data_frame(Taken* t, SEXP keeper) {
  int64_t rows = take_batches(t);
  int columns = (int)t->schema.n_children;
  SEXP frame = PROTECT(Rf_allocVector(VECSXP, columns)), names = PROTECT(Rf_allocVector(STRSXP, columns));
  for (int i = 0; i < columns; ++i) {
    const char* format = t->schema.children[i]->format;
    SET_STRING_ELT(names, i, Rf_mkCharCE(t->schema.children[i]->name, CE_UTF8));
    SEXP column = new_column(format, rows);
    SET_VECTOR_ELT(frame, i, column);
    int64_t to = 0;
    for (size_t b = 0; b < t->count; ++b)
      for (int64_t row = 0; row < t->batches[b].length; ++row)
        fill_cell(column, format, t->batches[b].children[i], row, to++);
  }
  Rf_setAttrib(frame, R_NamesSymbol, names);
  SEXP numbers = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(numbers)[0] = NA_INTEGER;
  INTEGER(numbers)[1] = -(int)rows;
  Rf_setAttrib(frame, R_RowNamesSymbol, numbers);
  Rf_setAttrib(frame, R_ClassSymbol, Rf_mkString("data.frame"));
  Rf_setAttrib(frame, Rf_install("notes"), notes_of(&t->schema));
  drop_taken(keeper);
  UNPROTECT(4);
  return frame;
}

#define FRAME_OF(call)                                                                     \
  SEXP keeper;                                                                             \
  Taken* taken = new_taken(&keeper);                                                       \
  check(call);                                                                             \
  return data_frame(taken, keeper);

/* --- what R calls --- */

static SEXP r_open(SEXP path, SEXP home) {
  open_library(text_or_null(path));
  if (!Rf_isNull(home)) check(lib_add_home(text_or_null(home)));
  return Rf_mkString(lib_version());
}

static SEXP r_load(SEXP name, SEXP threads, SEXP precision, SEXP vocabulary, SEXP start, SEXP end, SEXP read_as) {
  minpair_load_options options = {sizeof options, Rf_asInteger(threads), text_or_null(precision), text_or_null(vocabulary),
                                  text_or_null(start), text_or_null(end), text_or_null(read_as)};
  minpair_model* model = NULL;
  check(lib_load(text_or_null(name), &options, &model));
  SEXP pointer = PROTECT(R_MakeExternalPtr(model, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, drop_model, TRUE);
  UNPROTECT(1);
  return pointer;
}

static SEXP r_about(SEXP model) { FRAME_OF(lib_about(model_of(model), &taken->stream)) }
static SEXP r_list(SEXP what) { FRAME_OF(lib_list(text_or_null(what), &taken->stream)) }

static SEXP r_tokenize(SEXP model, SEXP texts, SEXP special) {
  FRAME_OF(lib_tokenize(model_of(model), texts_of(texts), Rf_xlength(texts), Rf_asLogical(special), &taken->stream))
}

static SEXP r_score(SEXP model, SEXP texts, SEXP method, SEXP norm, SEXP level, SEXP contexts, SEXP rank, SEXP progress) {
  minpair_score_options options = {sizeof options, text_or_null(method), text_or_null(norm), text_or_null(level),
                                   Rf_isNull(contexts) ? NULL : texts_of(contexts), wants_to_stop,
                                   Rf_isNull(progress) ? NULL : (void*)progress, Rf_asLogical(rank) == TRUE};
  FRAME_OF(lib_score(model_of(model), texts_of(texts), Rf_xlength(texts), &options, &taken->stream))
}

static SEXP r_predict(SEXP model, SEXP texts, SEXP contexts, SEXP best) {
  FRAME_OF(lib_predict(model_of(model), texts_of(texts), Rf_isNull(contexts) ? NULL : texts_of(contexts), Rf_xlength(texts),
                       (uint32_t)Rf_asInteger(best), wants_to_stop, NULL, &taken->stream))
}

static SEXP r_states(SEXP model, SEXP texts, SEXP layer) {
  FRAME_OF(lib_states(model_of(model), texts_of(texts), Rf_xlength(texts), Rf_asInteger(layer), wants_to_stop, NULL, &taken->stream))
}

/* Options: names and values in turn; models: those that "@0", "@1", ... mean. */
static minpair_arguments arguments_of(SEXP options, SEXP models) {
  R_xlen_t n = Rf_xlength(models);
  minpair_model** all = (minpair_model**)R_alloc(n ? n : 1, sizeof *all);
  for (R_xlen_t i = 0; i < n; ++i) all[i] = model_of(VECTOR_ELT(models, i));
  minpair_arguments arguments = {sizeof arguments, texts_of(options), Rf_xlength(options), all, n, wants_to_stop, NULL};
  return arguments;
}

static SEXP r_command(SEXP command, SEXP options, SEXP models) {
  minpair_arguments arguments = arguments_of(options, models);
  FRAME_OF(lib_command(text_or_null(command), &arguments, &taken->stream))
}

/* Into a stream of nanoarrow's, which copies nothing. */
static SEXP r_stream(SEXP options, SEXP stream) {
  minpair_arguments arguments = arguments_of(options, R_NilValue);
  struct ArrowArrayStream* out = TYPEOF(stream) == EXTPTRSXP ? R_ExternalPtrAddr(stream) : NULL;
  if (!out || out->release) Rf_error("the stream is not an empty one");
  check(lib_command("export", &arguments, out));
  return R_NilValue;
}

static const R_CallMethodDef kCalls[] = {
    {"r_open", (DL_FUNC)&r_open, 2},         {"r_load", (DL_FUNC)&r_load, 7},   {"r_about", (DL_FUNC)&r_about, 1},
    {"r_list", (DL_FUNC)&r_list, 1},         {"r_tokenize", (DL_FUNC)&r_tokenize, 3}, {"r_score", (DL_FUNC)&r_score, 8},
    {"r_predict", (DL_FUNC)&r_predict, 4},   {"r_states", (DL_FUNC)&r_states, 3}, {"r_command", (DL_FUNC)&r_command, 3},
    {"r_stream", (DL_FUNC)&r_stream, 2},
    {NULL, NULL, 0}};

void R_init_minpair(DllInfo* info) {
  R_registerRoutines(info, NULL, kCalls, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
}
