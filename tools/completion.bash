# Bash completion for minpair. What there is comes from the program's own help, so it is never out of date.

_minpair_commands() {
  minpair --help 2>/dev/null | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }'
}

_minpair_options() {
  minpair "$1" --help 2>/dev/null | awk '/^Options:/ { on = 1; next } /^[A-Z]/ { on = 0 } on' |
    grep -oE '^ +(-[a-zA-Z],)?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+'
}

# The choices of an option or an argument that takes one of a few: "--format TEXT:{text,json}".
_minpair_choices() {
  minpair "$1" --help 2>/dev/null | grep -E -- "(^|[ ,])$2[ :]" | grep -oE '\{[^}]*\}' | head -1 |
    tr -d '{}' | tr ',' '\n'
}

_minpair_formats() {
  minpair convert --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on && /^  [a-z]/ { print $1 }'
}

_minpair() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$(_minpair_commands) --help --version"
  elif [[ $current == -* ]]; then
    words=$(_minpair_options "$command")
  else
    case $previous in
      --from | --to) words=$(_minpair_formats) ;;
      -s | --suite) words=$(minpair list suites 2>/dev/null | awk '{ print $1 }') ;;
      -m | --model) words=$(minpair list models 2>/dev/null | awk '{ print $1 }') ;;
      --method) words=$(minpair list methods 2>/dev/null | awk '/^[a-z]/ { print $1 }') ;;
      -*) words=$(_minpair_choices "$command" "$previous") ;;
      list) words=$(_minpair_choices list WHAT) ;;
      lint | generate | convert) words=$(minpair list suites 2>/dev/null | awk '{ print $1 }') ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # Files and folders too, wherever the program does not name the choices itself.
  if [ "$COMP_CWORD" -gt 1 ] && [[ $current != -* ]] && [ ${#COMPREPLY[@]} -eq 0 ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -F _minpair minpair
