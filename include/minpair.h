/* minpair as a library: the interface under the Python and R packages, and for other programs.
 *
 *   minpair_model* model;
 *   struct ArrowArrayStream scores;
 *   const char* texts[] = {"Der Autor lacht.", "Der Autor lachen."};
 *   if (minpair_load("de-mini", NULL, &model) != MINPAIR_OK) puts(minpair_message());
 *   minpair_score(model, texts, 2, NULL, &scores);
 *
 * Tables are Arrow C streams (https://arrow.apache.org/docs/format/CStreamInterface.html): the receiver calls their
 * release(). Texts are UTF-8 and end with a zero byte; minpair copies what it keeps. Where several names can be given,
 * they are one text, one name per line. Options are structs that begin with their own size, so that they can grow: set
 * `size = sizeof(...)` and zero the rest; NULL for all defaults.
 *
 * A model may be used by several threads: their calls take turns. After fork() the new process must load it again. A stream belongs to one thread at a time. Nothing here throws,
 * and nothing writes to the terminal.
 */
#ifndef MINPAIR_H
#define MINPAIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Arrow's own definitions, word for word; definitions that are already there are kept --- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* --- errors and versions --- */

typedef enum minpair_status {
  MINPAIR_OK = 0,
  MINPAIR_BAD_INPUT = 1,  /* a file or a text is not what it should be */
  MINPAIR_WRONG_CALL = 2, /* a name or an option is wrong */
  MINPAIR_CANNOT = 3,     /* the machine cannot do it: disk, memory, network, permissions */
  MINPAIR_CANCELLED = 4   /* the progress callback asked for it */
} minpair_status;

/* Of this thread's last error: what is wrong, where, and in a second line what to do next. "" when there was none. */
const char* minpair_message(void);
const char* minpair_version(void); /* "0.2.0" */
int minpair_api(void);             /* of this interface; raised when a function changes its meaning */

/* Another folder with suites/ and models/ in which names are looked up; the folder added last is searched first. */
minpair_status minpair_add_home(const char* folder);
/* What there is: "suites", "models", "methods". */
minpair_status minpair_list(const char* what, struct ArrowArrayStream* out);

/* Called from time to time; `total` is 0 while it is unknown. Anything but 0 stops the work: MINPAIR_CANCELLED. */
typedef int (*minpair_progress)(void* user, uint64_t done, uint64_t total);

/* --- models --- */

typedef struct minpair_model minpair_model;

typedef struct minpair_load_options {
  size_t size;
  int threads;            /* 0: all */
  const char* precision;  /* "fp32" (NULL), "fast", "bf16", "auto" */
  const char* vocabulary; /* for a recurrent model in a file: one word per line */
  const char* start;      /* what stands before the first token: a token, "none", NULL: the model's own */
  const char* end;        /* the same for what is scored after the last */
  const char* read_as;    /* "masked", "causal": for a checkpoint that was trained as both (GPT-BERT); NULL: as its files say */
} minpair_load_options;

/* A folder, a file, an id in the Hugging Face cache, or a shipped model. */
minpair_status minpair_load(const char* name, const minpair_load_options* options, minpair_model** out);
void minpair_free_model(minpair_model* model);

/* One row: name, kind, architecture, layers, hidden, heads, vocabulary, max_tokens, parameters, precision, fingerprint, mask, eos, start,
 * start_from (where that comes from), end, method (the default), notes (one per line). */
minpair_status minpair_about(minpair_model* model, struct ArrowArrayStream* out);
/* How texts are tokenized: text (its number, from 0), token, token_id, piece, begin, end (characters), special, begins_word. */
minpair_status minpair_tokenize(minpair_model* model, const char* const* texts, size_t count, int with_special,
                                struct ArrowArrayStream* out);

typedef struct minpair_score_options {
  size_t size;
  const char* method;          /* NULL: the model's default */
  const char* norm;            /* NULL: the method's own */
  const char* level;           /* a row for every: "text" (NULL), "word", "token" */
  const char* const* contexts; /* one for each text, read before it and not scored; NULL: none. A space goes in between, unless there is
                                * white space or the script has none */
  minpair_progress progress;
  void* user;
  int ranks; /* level "token": one more column, `rank`: the token's rank among all that could stand there, 1 for the best */
} minpair_score_options;

/* Each text on its own: text (its number), score, sum, tokens, words, excluded; or its words or tokens. A method that scores only the words
 * in which texts differ compares all of them. `excluded` says why a text has no score: "empty_text", "unknown_text", "too_long", ...
 * Words of the method "lp" have one more column, `surprisal_complete`: of the whole word, followed by another. */
minpair_status minpair_score(minpair_model* model, const char* const* texts, size_t count,
                             const minpair_score_options* options, struct ArrowArrayStream* out);
/* The best pieces at every [MASK]; models that read from left to right continue what stands before the first one, or the whole text. Contexts
 * as above. Columns: text, gap, rank (from 1), token_id, piece, logprob. */
minpair_status minpair_predict(minpair_model* model, const char* const* texts, const char* const* contexts, size_t count, uint32_t best,
                               minpair_progress progress, void* user, struct ArrowArrayStream* out);
/* Hidden states of `layer`, 0 for the embeddings, -1 for the last: text, token, token_id, piece, begin, end, state. */
minpair_status minpair_states(minpair_model* model, const char* const* texts, size_t count, int layer,
                              minpair_progress progress, void* user, struct ArrowArrayStream* out);

/* --- commands --- */

typedef struct minpair_arguments {
  size_t size;
  const char* const* options; /* name, value, name, value, ... as on the command line: "results", "r.db", "by", "test"; a flag is "true"
                               * or "false"; a name may come several times */
  size_t count;               /* of these texts: names and values */
  minpair_model* const* models; /* loaded models; the option "model" calls them "@0", "@1", ...; others by name, as everywhere */
  size_t model_count;
  minpair_progress progress;
  void* user;
} minpair_arguments;

/* What the command line does: "run", "report", "stats", "compare", "margins", "regions", "norms", "people", "correlate", "figure", "page",
 * "export", "curve", "introspect lens" (probe, attribute, patch, ablate), "effects", "overlap". `minpair help COMMAND` lists the options,
 * which are read by the same code: what is refused there is refused here, in the same words.
 * Tables are rows: `export` without the option "output" gives those of docs/results-format.md; the tables that others print have their
 * columns, and `kind` and `table` say of which a row is; the schema's metadata `notes` is what stands below them. With the option "format",
 * and of commands without tables, there is one row, `text`: what the command prints on standard output. */
minpair_status minpair_command(const char* command, const minpair_arguments* arguments, struct ArrowArrayStream* out);

/* The rows of one of minpair's streams again, from the first: `stream` stays as it is. */
minpair_status minpair_again(const struct ArrowArrayStream* stream, struct ArrowArrayStream* out);

#ifdef __cplusplus
}
#endif

#endif /* MINPAIR_H */
