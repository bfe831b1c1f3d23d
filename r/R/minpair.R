.onLoad <- function(libname, pkgname) {
  own <- system.file("native", "libminpair.so.0", package = pkgname, lib.loc = libname)
  library <- Sys.getenv("MINPAIR_LIBRARY", if (nzchar(own)) own else "libminpair.so.0")
  data <- system.file("data-files", package = pkgname, lib.loc = libname)
  .Call(r_open, library, if (nzchar(data)) data else NULL)
}

lines_of <- function(x) if (is.null(x)) NULL else paste(as.character(x), collapse = "\n")

filter_of <- function(suites = NULL, models = NULL, methods = NULL, tests = NULL, conditions = NULL, languages = NULL, norms = NULL, ties = NULL,
                      lengths = NULL, oov = NULL, pairwise = FALSE) {
  list(lines_of(suites), lines_of(models), lines_of(methods), lines_of(tests), lines_of(conditions), lines_of(languages), lines_of(norms),
       ties, lengths, oov, pairwise)
}

# A model that was loaded stays for the session, so that mutate(lp = minpair_score(sentence, "de-lstm")) loads it once.
loaded <- new.env(parent = emptyenv())

model_of <- function(model) {
  if (inherits(model, "minpair_model")) return(model$handle)
  if (is.null(loaded[[model]])) assign(model, minpair_load(model), envir = loaded)
  loaded[[model]]$handle
}

texts_of <- function(x) enc2utf8(as.character(x))

contexts_of <- function(context, count) {
  if (is.null(context)) return(NULL)
  if (length(context) == 1L) context <- rep(context, count)
  if (length(context) != count) stop("texts (", count, ") and contexts (", length(context), ") differ in number")
  texts_of(context)
}

minpair_load <- function(name, threads = 0L, precision = "fp32", vocabulary = NULL, start = "auto", end = "auto",
                         read_as = "auto") {
  handle <- .Call(r_load, name, as.integer(threads), precision, vocabulary, start, end, read_as)
  structure(list(handle = handle, name = name), class = "minpair_model")
}

print.minpair_model <- function(x, ...) {
  about <- minpair_info(x)
  cat("<minpair model ", about$name, ": ", about$kind, ", ", about$architecture, ">\n", sep = "")
  invisible(x)
}

minpair_info <- function(model) .Call(r_about, model_of(model))

minpair_version <- function() {
  as.character(utils::packageVersion("minpair"))
}

minpair_list <- function(what = c("suites", "models", "methods")) .Call(r_list, match.arg(what))

minpair_score <- function(text, model, method = NULL, norm = NULL, context = NULL, separator = " ") {
  text <- texts_of(text)
  .Call(r_score, model_of(model), text, method, norm, "text", contexts_of(context, length(text)), separator, FALSE)$score
}

minpair_tokens <- function(text, model, method = NULL, context = NULL, separator = " ", rank = FALSE) {
  text <- texts_of(text)
  .Call(r_score, model_of(model), text, method, NULL, "token", contexts_of(context, length(text)), separator, rank)
}

minpair_words <- function(text, model, method = NULL, context = NULL, separator = " ") {
  text <- texts_of(text)
  .Call(r_score, model_of(model), text, method, NULL, "word", contexts_of(context, length(text)), separator, FALSE)
}

minpair_tokenize <- function(text, model, special = TRUE) .Call(r_tokenize, model_of(model), texts_of(text), special)

minpair_predict <- function(text, model, best = 10L) .Call(r_predict, model_of(model), texts_of(text), as.integer(best))

minpair_states <- function(text, model, layer = -1L) .Call(r_states, model_of(model), texts_of(text), as.integer(layer))

minpair_run <- function(suites, models, methods = NULL, out = "results.db", tests = NULL, conditions = NULL, languages = NULL, limit = 0,
                        sample = 0, seed = 1) {
  if (inherits(models, "minpair_model")) models <- list(models)
  .Call(r_run, lapply(models, model_of), lines_of(suites), lines_of(methods), path.expand(out), lines_of(tests), lines_of(conditions),
        lines_of(languages), as.numeric(limit), as.numeric(sample), as.numeric(seed))
  invisible(out)
}

minpair_rows <- function(results, table = "items", ..., stream = NULL) {
  if (is.null(stream)) return(.Call(r_rows, path.expand(results), table, filter_of(...)))
  if (!inherits(stream, "nanoarrow_array_stream")) stop("the stream must be one of nanoarrow::nanoarrow_allocate_array_stream()")
  .Call(r_stream, path.expand(results), table, filter_of(...), stream)
  stream
}

minpair_items <- function(results, ...) minpair_rows(results, "items", ...)

minpair_sentences <- function(results, ...) minpair_rows(results, "sentences", ...)

minpair_report <- function(results, by = NULL, format = "table", ...) {
  .Call(r_report, path.expand(results), lines_of(by), format, filter_of(...))$text
}
