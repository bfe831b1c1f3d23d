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
 * A model may be used by several threads: their calls take turns. A stream belongs to one thread at a time. Nothing here throws,
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
const char* minpair_version(void); /* "0.1.0" */
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
  const char* const* contexts; /* one for each text, read before it and not scored; NULL: none */
  const char* separator;       /* between the two; NULL: a space */
  minpair_progress progress;
  void* user;
  int ranks; /* level "token": one more column, `rank`: the token's rank among all that could stand there, 1 for the best */
} minpair_score_options;

/* Each text on its own: text (its number), score, sum, tokens, words, excluded; or its words or tokens. */
minpair_status minpair_score(minpair_model* model, const char* const* texts, size_t count,
                             const minpair_score_options* options, struct ArrowArrayStream* out);
/* The best pieces at every [MASK], or after the text for models that read from left to right: text, gap, rank (from 1), token_id,
 * piece, logprob. */
minpair_status minpair_predict(minpair_model* model, const char* const* texts, size_t count, uint32_t best,
                               struct ArrowArrayStream* out);
/* Hidden states of `layer`, 0 for the embeddings, -1 for the last: text, token, token_id, piece, begin, end, state. */
minpair_status minpair_states(minpair_model* model, const char* const* texts, size_t count, int layer,
                              minpair_progress progress, void* user, struct ArrowArrayStream* out);

/* --- runs and results --- */

typedef struct minpair_run_options {
  size_t size;
  const char* suites;     /* files, folders, shipped suites */
  const char* methods;    /* NULL: the suite's, else the first that fits */
  const char* results;    /* the file, new or one to add to */
  const char* tests;      /* only these */
  const char* conditions; /* only these */
  const char* languages;  /* only these */
  uint64_t limit;         /* only the first N items */
  uint64_t sample;        /* only N items, drawn at random */
  uint64_t seed;          /* of the sample */
  minpair_progress progress;
  void* user;
} minpair_run_options;

/* Scores suites with models into the results file, as `minpair run`: what is stored is not computed again, and an
 * interrupted run continues where it stopped. */
minpair_status minpair_run(minpair_model* const* models, size_t count, const minpair_run_options* options);

typedef struct minpair_filter {
  size_t size;
  const char* suites; /* only these; NULL: all */
  const char* models;
  const char* methods;
  const char* tests;
  const char* conditions;
  const char* languages;
  const char* norms;   /* NULL: each method's own; "all" */
  const char* ties;    /* "half" (NULL), "right", "wrong", "paper" */
  const char* lengths; /* "all" (NULL), "equal" */
  const char* oov;     /* "excluded" (NULL), "wrong" */
  int pairwise;
} minpair_filter;

/* "items", "sentences", "regions", "words", "tokens", "summary", "runs": the tables of `minpair export`. */
minpair_status minpair_rows(const char* results, const char* table, const minpair_filter* filter,
                            struct ArrowArrayStream* out);
/* The tables of `minpair report`, as one text: "table", "markdown", "latex", "csv", "json". */
minpair_status minpair_report(const char* results, const char* by, const char* format, const minpair_filter* filter,
                              struct ArrowArrayStream* out);

/* The rows of one of minpair's streams again, from the first: `stream` stays as it is. */
minpair_status minpair_again(const struct ArrowArrayStream* stream, struct ArrowArrayStream* out);

#ifdef __cplusplus
}
#endif

#endif /* MINPAIR_H */
