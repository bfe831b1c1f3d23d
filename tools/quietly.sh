#!/usr/bin/env bash
# Runs one step of a longer job: its output goes to build/log/NAME.log, the terminal gets one line that counts along.
# Lines of the log that begin with "Without" are for the user, and so is its end when the step fails.
#   tools/quietly.sh NAME "What it does" COMMAND...
set -uo pipefail
cd "$(dirname "$0")/.."
# Not "name": a variable that the caller exported would reach COMMAND with this value.
step=$1 what=$2
shift 2
log=build/log/$step.log
mkdir -p build/log
began=$SECONDS
export NINJA_STATUS='[%f/%t] '

took() {
  local s=$((SECONDS - began))
  if [ $s -ge 60 ]; then echo "$((s / 60)) min $((s % 60)) s"; else echo "$s s"; fi
}

# "[17/240] Building ..." is progress: on a terminal it overwrites itself, elsewhere each quarter is one line.
follow() {
  local line quarter=0 now
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [ -t 2 ]; then
      printf '\r%s: %d of %d, %s\033[K' "$what" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$(took)" >&2
    else
      now=$((4 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      [ $now -gt $quarter ] && [ $now -lt 4 ] && printf '  %d %% after %s\n' $((25 * now)) "$(took)" >&2
      quarter=$now
    fi
  done
}

if [ -t 2 ]; then printf '%s' "$what" >&2; else printf '%s\n' "$what" >&2; fi
"$@" 2>&1 </dev/null | follow >"$log"
status=${PIPESTATUS[0]}
[ -t 2 ] && printf '\r%s: %s\033[K\n' "$what" "$(took)" >&2
sed -nE 's/^(-- )?(Without )/  \2/p' "$log" >&2
if [ "$status" -ne 0 ]; then
  printf 'This failed after %s. The end of %s:\n' "$(took)" "$log" >&2
  tail -n 30 "$log" | sed 's/^/  | /' >&2
fi
exit "$status"
