PATH=${PATH//"$HOME/.ci/bin:"/}
system=$UV_SYSTEM_PYTHON
unset UV_SYSTEM_PYTHON UV_MANAGED_PYTHON UV_NO_MANAGED_PYTHON
export UV_PYTHON_PREFERENCE=managed UV_PYTHON_DOWNLOADS=manual # what is installed has to do
words=()
for word in "$@"; do
  if [ "$word" = --system ] && [ "$1" = pip ]; then system=1; else words+=("$word"); fi
done
if [ -n "$system" ] && [ "$system" != 0 ]; then export VIRTUAL_ENV=$HOME/.venv; fi
if [ "$1 $2" = "tool install" ]; then # a Python that is not there is replaced by one that is
  kept=() before=
  for word in "${words[@]}"; do
    case $before in
      -p | --python) uv python find "$word" >/dev/null 2>&1 && kept+=("$before" "$word") || ci_said "Python $word is not available here." ;;
      --python-preference) ;;
      *) case $word in -p | --python | --python-preference | --managed-python) ;; *) kept+=("$word") ;; esac ;;
    esac
    before=$word
  done
  words=("${kept[@]}")
fi
if [ "$1 $2" = "python install" ]; then
  for version in "${@:3}"; do
    case $version in -*) continue ;; esac
    UV_PYTHON_DOWNLOADS=never uv python find "$version" >/dev/null 2>&1 || uv python install "$version" ||
      ci_said "Python $version is not available here."
  done
  exit 0
fi
exec uv "${words[@]}"
