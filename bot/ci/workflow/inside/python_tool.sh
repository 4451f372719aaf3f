# ci_python_tool ARGUMENT...: install a tool with the job's own Python, which it would have there.
ci_python_tool() {
  if [ -x ~/.venv/bin/python ] && uv tool install -q --python ~/.venv/bin/python "$@" 2>/dev/null; then return; fi
  uv tool install -q "$@"
}
