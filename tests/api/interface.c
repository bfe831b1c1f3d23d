/* The C interface from C: compiled as C99, linked to libminpair alone.
 *   interface SOURCE PROGRAM      exits with 0 when everything holds */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "minpair.h"

#define CHECK(what)                                                                             \
  do {                                                                                          \
    if (!(what)) {                                                                              \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #what, minpair_message());        \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

/* The rows of a stream: one batch after the other, and a column by its name. */
typedef struct {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
} Reader;

static void open_reader(Reader* r) { CHECK(r->stream.get_schema(&r->stream, &r->schema) == 0); }

static int next_batch(Reader* r) {
  CHECK(r->stream.get_next(&r->stream, &r->batch) == 0);
  return r->batch.release != NULL;
}

static int column(const Reader* r, const char* name) {
  for (int i = 0; i < r->schema.n_children; ++i)
    if (strcmp(r->schema.children[i]->name, name) == 0) return i;
  fprintf(stderr, "no column %s\n", name);
  exit(1);
}

static double number(const Reader* r, const char* name, int row) {
  return ((const double*)r->batch.children[column(r, name)]->buffers[1])[row];
}

static int64_t integer(const Reader* r, const char* name, int row) {
  return ((const int64_t*)r->batch.children[column(r, name)]->buffers[1])[row];
}

static int is_text(const Reader* r, const char* name, int row, const char* expected) {
  const struct ArrowArray* c = r->batch.children[column(r, name)];
  const int32_t* offsets = c->buffers[1];
  size_t length = (size_t)(offsets[row + 1] - offsets[row]);
  return length == strlen(expected) && memcmp((const char*)c->buffers[2] + offsets[row], expected, length) == 0;
}

static void close_reader(Reader* r) {
  if (r->batch.release) r->batch.release(&r->batch);
  r->schema.release(&r->schema);
  r->stream.release(&r->stream);
}

static const char* kTexts[] = {"wort7 wort11", "wort7 wort8 wort9", "wort7 wort11"};

static double sum_of(minpair_model* model, int which, const char* level) {
  minpair_score_options options = {sizeof options};
  options.method = "pll";
  options.level = level;
  Reader r = {0};
  CHECK(minpair_score(model, kTexts, 3, &options, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r));
  double sum = 0;
  for (int row = 0; row < r.batch.length; ++row)
    if (integer(&r, "text", row) == which) sum += number(&r, level ? "logprob" : "sum", row);
  r.batch.release(&r.batch);
  CHECK(!next_batch(&r));
  close_reader(&r);
  return sum;
}

static void scores(minpair_model* model) {
  double whole = sum_of(model, 1, NULL);
  CHECK(whole < 0);
  CHECK(fabs(whole - sum_of(model, 1, "token")) < 1e-12);
  CHECK(fabs(whole - sum_of(model, 1, "word")) < 1e-12);
  CHECK(sum_of(model, 0, NULL) == sum_of(model, 2, NULL));
}

static void contexts(minpair_model* model) {
  const char* text = "wort9";
  const char* context = "wort7 wort8";
  minpair_score_options options = {sizeof options};
  options.method = "pll";
  options.level = "token";
  options.contexts = &context;
  Reader r = {0};
  CHECK(minpair_score(model, &text, 1, &options, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 1);
  CHECK(is_text(&r, "piece", 0, "wort9"));
  CHECK(integer(&r, "begin", 0) == 0 && integer(&r, "end", 0) == 5);
  close_reader(&r);
}

/* The last total of a progress call: how many tokens the model is asked to read. */
static int note_total(void* user, uint64_t done, uint64_t total) {
  (void)done;
  *(uint64_t*)user = total;
  return 0;
}

/* The same numbers as the command line's, and the model is asked for no more. */
static void agrees_with_the_program(minpair_model* model, const char* program, const char* path) {
  const char* methods[] = {"pll", "pll-word-l2r", "pll-whole-word", "ce", "masked"};
  const char* pair[] = {"wort7 wort11", "wort7 wort8"};
  const char* contexts[] = {"", "wort8 wort9 wort10 wort8 wort9"};
  for (int m = 0; m < 5; ++m)
    for (int c = 0; c < 2; ++c) {
      const char* both[] = {contexts[c], contexts[c]};
      uint64_t asked = 0, said = 0;
      minpair_score_options options = {sizeof options, methods[m], NULL, NULL, both, note_total, &asked, 0};
      Reader r = {0};
      CHECK(minpair_score(model, pair, 2, &options, &r.stream) == MINPAIR_OK);
      open_reader(&r);
      CHECK(next_batch(&r) && r.batch.length == 2);
      char command[8192], line[4096];
      snprintf(command, sizeof command, "'%s' score --json -m '%s' --method %s --context '%s' '%s' '%s'", program, path, methods[m],
               contexts[c], pair[0], pair[1]);
      FILE* out = popen(command, "r");
      CHECK(out);
      int rows = 0;
      while (fgets(line, sizeof line, out)) {
        const char* at;
        if ((at = strstr(line, "\"sum\": "))) {
          CHECK(rows < 2 && strtod(at + 7, NULL) == number(&r, "sum", rows));
          ++rows;
        }
        if (!said && (at = strstr(line, "\"tokens\": "))) said = strtoull(at + 10, NULL, 10);
      }
      CHECK(pclose(out) == 0 && rows == 2);
      CHECK(asked > 0 && asked == said);
      close_reader(&r);
    }
}

static void tokens_and_predictions(minpair_model* model) {
  const char* text = "wort7 [MASK]";
  Reader r = {0};
  CHECK(minpair_tokenize(model, &text, 1, 1, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 4);
  CHECK(is_text(&r, "piece", 0, "[CLS]") && is_text(&r, "piece", 1, "wort7"));
  close_reader(&r);
  memset(&r, 0, sizeof r);
  CHECK(minpair_predict(model, &text, NULL, 1, 3, NULL, NULL, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 3);
  CHECK(number(&r, "logprob", 0) >= number(&r, "logprob", 1));
  close_reader(&r);
}

static void ranks(minpair_model* model) {
  const char* text = "wort7 wort11";
  minpair_score_options options = {sizeof options};
  options.method = "pll";
  options.ranks = 1;
  Reader r = {0};
  CHECK(minpair_score(model, &text, 1, &options, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "only tokens have ranks"));
  options.level = "token";
  CHECK(minpair_score(model, &text, 1, &options, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 2 && integer(&r, "rank", 0) >= 1);
  close_reader(&r);
  /* Whoever was built with the smaller struct goes on without. */
  options.size = offsetof(minpair_score_options, ranks);
  memset(&r, 0, sizeof r);
  CHECK(minpair_score(model, &text, 1, &options, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  for (int64_t i = 0; i < r.schema.n_children; ++i) CHECK(strcmp(r.schema.children[i]->name, "rank") != 0);
  close_reader(&r);
}

static void states(minpair_model* model) {
  Reader r = {0};
  CHECK(minpair_states(model, kTexts, 2, 1, NULL, NULL, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  const struct ArrowSchema* state = r.schema.children[column(&r, "state")];
  CHECK(strncmp(state->format, "+w:", 3) == 0 && state->n_children == 1);
  int width = atoi(state->format + 3);
  CHECK(next_batch(&r));
  CHECK(r.batch.children[column(&r, "state")]->children[0]->length == width * r.batch.length);
  close_reader(&r);
  CHECK(minpair_states(model, kTexts, 2, 99, NULL, NULL, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "layers"));
}

static int after_two(void* user, uint64_t done, uint64_t total) {
  (void)done, (void)total;
  return ++*(int*)user >= 2;
}

static int count(void* user, uint64_t done, uint64_t total) {
  CHECK(done <= total);
  ++*(int*)user;
  return 0;
}

static void runs(minpair_model* model) {
  char folder[] = "/tmp/minpair-api-XXXXXX", results[64], suite[64];
  CHECK(mkdtemp(folder));
  snprintf(results, sizeof results, "%s/r.db", folder);
  snprintf(suite, sizeof suite, "%s/s.jsonl", folder);
  FILE* file = fopen(suite, "w");
  for (int i = 0; i < 400; ++i)
    fprintf(file,
            "{\"id\":\"%d\",\"test\":\"t\",\"sentences\":[{\"text\":\"wort%d wort%d wort9\",\"grammatical\":true},"
            "{\"text\":\"wort%d wort8 wort%d\",\"grammatical\":false}]}\n",
            i, i % 20, i / 20, i % 20, i / 20);
  fclose(file);
  int calls = 0;
  const char* scoring[] = {"suite", suite, "method", "ce", "method", "pll", "output", results, "model", "@0"};
  minpair_arguments run = {sizeof run, scoring, 10, &model, 1, after_two, &calls};
  struct ArrowArrayStream printed = {0};
  CHECK(minpair_command("run", &run, &printed) == MINPAIR_CANCELLED);
  run.progress = count;
  CHECK(minpair_command("run", &run, &printed) == MINPAIR_OK);
  printed.release(&printed);
  CHECK(calls > 2);
  const char* items[] = {"results", results, "what", "items", "methods", "pll"};
  minpair_arguments rows_of = {sizeof rows_of, items, 6, NULL, 0, NULL, NULL};
  Reader r = {0}, again = {0};
  CHECK(minpair_command("export", &rows_of, &r.stream) == MINPAIR_OK);
  CHECK(minpair_again(&r.stream, &again.stream) == MINPAIR_OK);
  open_reader(&r);
  open_reader(&again);
  int rows = 0, more = 0;
  while (next_batch(&r)) {
    CHECK(is_text(&r, "method", 0, "pll"));
    rows += (int)r.batch.length;
    r.batch.release(&r.batch);
  }
  while (next_batch(&again)) {
    more += (int)again.batch.length;
    again.batch.release(&again.batch);
  }
  CHECK(rows == 400 && more == 400);
  close_reader(&r);
  close_reader(&again);
  memset(&r, 0, sizeof r);
  const char* table[] = {"results", results, "by", "test", "format", "csv"};
  minpair_arguments report = {sizeof report, table, 6, NULL, 0, NULL, NULL};
  CHECK(minpair_command("report", &report, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 1);
  close_reader(&r);
  table[2] = "digits", table[3] = "2";
  CHECK(minpair_command("report", &report, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "--digits has no effect without --format latex"));
  report.count = 5;
  CHECK(minpair_command("report", &report, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(minpair_command("reprt", &report, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "did you mean 'report'?"));
  scoring[9] = "@1";
  CHECK(minpair_command("run", &run, &printed) == MINPAIR_WRONG_CALL);
  items[5] = "pl";
  CHECK(minpair_command("export", &rows_of, &r.stream) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "did you mean 'pll'?"));
  remove(results), remove(suite), rmdir(folder);
}

static void mistakes(minpair_model* model) {
  struct ArrowArrayStream out;
  minpair_model* none = NULL;
  CHECK(minpair_load("/no/such/model", NULL, &none) != MINPAIR_OK && none == NULL);
  CHECK(strlen(minpair_message()) > 0);
  CHECK(minpair_load(NULL, NULL, &none) == MINPAIR_WRONG_CALL);
  CHECK(minpair_score(NULL, kTexts, 3, NULL, &out) == MINPAIR_WRONG_CALL);
  CHECK(minpair_score(model, NULL, 3, NULL, &out) == MINPAIR_WRONG_CALL);
  CHECK(minpair_score(model, kTexts, 3, NULL, NULL) == MINPAIR_WRONG_CALL);
  minpair_score_options options = {0};
  CHECK(minpair_score(model, kTexts, 3, &options, &out) == MINPAIR_WRONG_CALL);
  options.size = sizeof options;
  options.method = "pl";
  CHECK(minpair_score(model, kTexts, 3, &options, &out) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "did you mean"));
  options.method = "masked";
  CHECK(minpair_score(model, kTexts, 1, &options, &out) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "compares texts at the words in which they differ"));
  const char* latin = "wort7 \xe4";
  CHECK(minpair_score(model, &latin, 1, NULL, &out) == MINPAIR_BAD_INPUT);
  CHECK(strstr(minpair_message(), "the text is not UTF-8: byte 6"));
  const char* broken = "\xff\xfe";
  CHECK(minpair_tokenize(model, &broken, 1, 1, &out) == MINPAIR_BAD_INPUT);
  const char* nowhere[] = {"results", "/no/such/file"};
  minpair_arguments arguments = {sizeof arguments, nowhere, 2, NULL, 0, NULL, NULL};
  CHECK(minpair_command("export", &arguments, &out) == MINPAIR_BAD_INPUT);
  CHECK(minpair_command("report", NULL, &out) == MINPAIR_WRONG_CALL);
  CHECK(strstr(minpair_message(), "RESULTS is required"));
  CHECK(minpair_list("things", &out) == MINPAIR_WRONG_CALL);
  struct ArrowArrayStream foreign = {0};
  CHECK(minpair_again(&foreign, &out) == MINPAIR_WRONG_CALL);
}

static double expected;
static void* work(void* model) {
  for (int i = 0; i < 20; ++i) CHECK(sum_of(model, 1, "token") == expected);
  return NULL;
}

static void threads(minpair_model* model) {
  pthread_t all[8];
  expected = sum_of(model, 1, "token");
  for (int i = 0; i < 8; ++i) CHECK(pthread_create(&all[i], NULL, work, model) == 0);
  for (int i = 0; i < 8; ++i) pthread_join(all[i], NULL);
}

/* GPT-BERT was trained as both; an older caller, whose options end before the last one, gets what the checkpoint says. */
static void kinds(const char* source) {
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/model/golden/gpt-bert", source);
  const struct {
    size_t size;
    const char *read_as, *kind;
  } wanted[] = {{sizeof(minpair_load_options), NULL, "masked"},
                {sizeof(minpair_load_options), "causal", "causal"},
                {offsetof(minpair_load_options, read_as), "causal", "masked"}};
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    minpair_load_options load = {wanted[i].size, 1, NULL, NULL, NULL, NULL, wanted[i].read_as};
    minpair_model* model = NULL;
    CHECK(minpair_load(path, &load, &model) == MINPAIR_OK);
    Reader r = {0};
    CHECK(minpair_about(model, &r.stream) == MINPAIR_OK);
    open_reader(&r);
    CHECK(next_batch(&r) && is_text(&r, "kind", 0, wanted[i].kind));
    close_reader(&r);
    minpair_free_model(model);
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 3 && minpair_api() == 2 && strlen(minpair_version()) > 0);
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/model/golden/bert", argv[1]);
  minpair_load_options load = {sizeof load, 2, NULL, NULL, NULL, NULL, NULL};
  minpair_model* model = NULL;
  CHECK(minpair_load(path, &load, &model) == MINPAIR_OK);
  Reader r = {0};
  CHECK(minpair_about(model, &r.stream) == MINPAIR_OK);
  open_reader(&r);
  CHECK(next_batch(&r) && r.batch.length == 1);
  CHECK(is_text(&r, "kind", 0, "masked") && is_text(&r, "mask", 0, "[MASK]"));
  close_reader(&r);
  scores(model);
  contexts(model);
  agrees_with_the_program(model, argv[2], path);
  tokens_and_predictions(model);
  ranks(model);
  states(model);
  runs(model);
  mistakes(model);
  threads(model);
  kinds(argv[1]);
  minpair_free_model(model);
  minpair_free_model(NULL);
  puts("the C interface holds");
  return 0;
}
