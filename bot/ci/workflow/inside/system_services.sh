# Services of the runner's image, started by their names. Needs services.sh.
# ci_system_service NAME: start what the runner's image has by that name; fail for any other.
ci_system_service() {
  case ${1%.service} in
    mysql | mysqld | mariadb) @MYSQL@ ;;
    postgresql | postgresql@* | postgres)
      @POSTGRES@
      [ -d ~/.ci/services/postgresql ] || return 0
      @LET_INTO_POSTGRES@
      ;;
    redis | redis-server | valkey | valkey-server) @REDIS@ ;;
    *) return 1 ;;
  esac
}
