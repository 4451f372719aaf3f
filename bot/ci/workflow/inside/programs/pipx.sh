case $1 in
  install) ci_python_tool "${@:2}" ;;
  run) exec uv tool run "${@:2}" ;;
  *) exit 0 ;;
esac
