.onLoad <- function(libname, pkgname) {
  own <- system.file("native", "libminpair.so.0", package = pkgname, lib.loc = libname)
  library <- Sys.getenv("MINPAIR_LIBRARY", if (nzchar(own)) own else "libminpair.so.0")
  data <- system.file("data-files", package = pkgname, lib.loc = libname)
  .Call(r_open, library, if (nzchar(data)) data else NULL)
}

# A model that was loaded stays for the session, so that mutate(lp = minpair_score(sentence, "de-lstm")) loads it once.
loaded <- new.env(parent = emptyenv())

model_of <- function(model) {
  if (inherits(model, "minpair_model")) return(model$handle)
  if (is.null(loaded[[model]])) assign(model, minpair_load(model), envir = loaded)
  loaded[[model]]$handle
}

# A number or NA is no text; NA among texts is found where the texts are read.
texts_of <- function(x, what = "texts") {
  if (is.factor(x)) x <- as.character(x)
  if (!is.character(x)) stop(what, " are of type character, not ", class(x)[1L], call. = FALSE)
  enc2utf8(x)
}

# Numbers of texts, words and tokens, and the first character of each, as R counts.
from_one <- function(frame) {
  for (column in intersect(c("text", "word", "token", "begin", "gap"), names(frame))) frame[[column]] <- frame[[column]] + 1
  frame
}

contexts_of <- function(context, count) {
  if (is.null(context)) return(NULL)
  if (length(context) == 1L) context <- rep(context, count)
  if (length(context) != count) stop("texts (", count, ") and contexts (", length(context), ") differ in number")
  texts_of(context, "contexts")
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

minpair_score <- function(text, model, method = NULL, norm = NULL, context = NULL, progress = NULL) {
  text <- texts_of(text)
  .Call(r_score, model_of(model), text, method, norm, "text", contexts_of(context, length(text)), FALSE, progress)$score
}

minpair_tokens <- function(text, model, method = NULL, context = NULL, rank = FALSE, progress = NULL) {
  text <- texts_of(text)
  from_one(.Call(r_score, model_of(model), text, method, NULL, "token", contexts_of(context, length(text)), rank, progress))
}

minpair_words <- function(text, model, method = NULL, context = NULL, progress = NULL) {
  text <- texts_of(text)
  from_one(.Call(r_score, model_of(model), text, method, NULL, "word", contexts_of(context, length(text)), FALSE, progress))
}

minpair_tokenize <- function(text, model, special = TRUE) {
  from_one(.Call(r_tokenize, model_of(model), texts_of(text), special))
}

minpair_predict <- function(text, model, best = 10L, context = NULL) {
  text <- texts_of(text)
  from_one(.Call(r_predict, model_of(model), text, contexts_of(context, length(text)), as.integer(best)))
}

minpair_states <- function(text, model, layer = -1L) {
  from_one(.Call(r_states, model_of(model), texts_of(text), as.integer(layer)))
}

# Names and values in turn, as the command line has them: an option that is NULL or FALSE is not given, a loaded model is "@0", "@1", ...
options_of <- function(options) {
  words <- character()
  models <- list()
  for (option in names(options)) {
    given <- options[[option]]
    if (inherits(given, "minpair_model")) given <- list(given)
    for (value in given) {
      if (identical(value, FALSE)) next
      if (inherits(value, "minpair_model")) {
        models <- c(models, list(value$handle))
        value <- paste0("@", length(models) - 1L)
      }
      if (isTRUE(value)) value <- "true"
      if (is.numeric(value)) value <- format(value, digits = 15, scientific = FALSE, trim = TRUE)
      words <- c(words, option, value)
    }
  }
  list(words = texts_of(words), models = models)
}

frame_of <- function(command, ...) {
  given <- options_of(list(...))
  .Call(r_command, command, given$words, given$models)
}

# A data frame; the text of a command that has no table, or with a format.
minpair_command <- function(command, ...) {
  frame <- frame_of(command, ...)
  if (identical(names(frame), "text")) frame$text else frame
}

minpair_run <- function(suites, models, methods = NULL, out = "results.db", ...) {
  frame_of("run", suite = suites, model = models, method = methods, output = path.expand(out), ...)
  invisible(out)
}

minpair_rows <- function(results, table = "items", ..., stream = NULL) {
  if (is.null(stream)) return(frame_of("export", results = path.expand(results), what = table, ...))
  if (!inherits(stream, "nanoarrow_array_stream")) stop("the stream must be one of nanoarrow::nanoarrow_allocate_array_stream()")
  .Call(r_stream, options_of(list(results = path.expand(results), what = table, ...))$words, stream)
  stream
}

minpair_items <- function(results, ...) minpair_rows(results, "items", ...)

minpair_sentences <- function(results, ...) minpair_rows(results, "sentences", ...)

minpair_report <- function(results, ...) minpair_command("report", results = path.expand(results), ...)

minpair_stats <- function(results, ...) minpair_command("stats", results = path.expand(results), ...)

minpair_margins <- function(results, ...) minpair_command("margins", results = path.expand(results), ...)

minpair_norms <- function(results, norms, ...) minpair_command("norms", results = path.expand(results), norms = norms, ...)

minpair_people <- function(results, ...) minpair_command("people", results = path.expand(results), ...)

minpair_correlate <- function(results, numbers, ...) {
  minpair_command("correlate", results = path.expand(results), numbers = path.expand(numbers), ...)
}

minpair_compare <- function(results, ...) minpair_command("compare", results = path.expand(results), ...)

minpair_figure <- function(results, kind, out, ...) {
  minpair_command("figure", results = path.expand(results), kind = kind, output = path.expand(out), ...)
  invisible(out)
}

minpair_page <- function(results, out, ...) {
  minpair_command("page", results = path.expand(results), output = path.expand(out), ...)
  invisible(out)
}

minpair_introspect <- function(what, suite, model, ...) minpair_command(paste("introspect", what), suite = suite, model = model, ...)
