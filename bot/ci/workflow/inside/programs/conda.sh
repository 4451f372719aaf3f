# In place of conda, mamba and micromamba: installs from PyPI what they are asked for, into the one environment there is.
command=$1
shift
[ "$command" != env ] || { command="env $1"; shift; }
case $command in
  install | update | create | env\ create | env\ update)
    mapfile -t wanted < <(python3 ~/.ci/conda_packages.py "$@")
    . ~/.ci/begin none
    if [[ -n ${wanted[0]} && $command == *create ]]; then ci_python "${wanted[0]}" "${wanted[0]//[!0-9.]}"; fi
    [ ${#wanted[@]} -lt 2 ] || ci_conda "${wanted[@]:1}"
    ;;
  run)
    while [ $# -gt 0 ]; do
      case $1 in -n | -p | --name | --prefix) shift 2 ;; -*) shift ;; *) break ;; esac
    done
    exec "$@"
    ;;
esac
exit 0
