while [ $# -gt 0 ]; do
  case $1 in
    -u | -g)
      [ "$2" != postgres ] || export PGHOST=${PGHOST:-127.0.0.1} PGUSER=${PGUSER:-postgres}
      shift 2
      ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || exit 0
case $1 in /etc/init.d/*) exec service "${1##*/}" "${@:2}" ;; esac
exec "$@"
