# What ctest prints, as one line that counts along, and the whole output of each test that fails.
# The variable `width` says how wide the terminal is.
function count_along(name) {
  line = sprintf("[%s] %d failed, %d skipped: %s", done, failed, skipped, name)
  printf "\r%s\033[K", substr(line, 1, width - 1)
  fflush()
}
# " 12/340 Test  #12: stats.median ......   Passed    0.01 sec"
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  done = $1
  name = $0
  sub(/^[^:]*: /, "", name)
  sub(/ \.\.+.*/, "", name)
  showing = 0
  if ($0 ~ /\*\*\*(Skipped|Not Run)/) ++skipped
  else if ($0 !~ / Passed +[0-9.]+ sec/) {
    ++failed
    showing = 1
    printf "\r\033[K%s\n", $0
  }
  count_along(name)
  if (showing) printf "\r\033[K"
  next
}
/^ *Start +[0-9]+: / { showing = 0; next }
showing { print }
END { printf "\r\033[K" }
