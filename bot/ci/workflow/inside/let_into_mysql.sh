# MySQL from 8.0 on closes its port with --skip-grant-tables, so it goes on asking:
# https://dev.mysql.com/doc/refman/8.4/en/server-options.html#option_mysqld_skip-grant-tables
# ci_mysql_let_in SERVICE PORT ROOT_PASSWORD DATABASE: ask nobody for a password, and make a database.
ci_mysql_let_in() {
  local data=~/.ci/services/$1 ask="--no-defaults -h 127.0.0.1 -P $2" n
  [ -d "$data" ] || return 0
  if mysqld --version | grep -qi mariadb && ! mysql $ask -u anybody -e 'DO 1' 2>/dev/null; then
    kill "$(cat "$data.pid")" 2>/dev/null
    for n in $(seq 100); do [ -f "$data.pid" ] || break; sleep 0.1; done
    ci_mysql_runs "$1" "$2" --skip-grant-tables
    ci_listens "$2" || ci_said "The service $1 did not start again here."
  fi
  [ -z "$4" ] || MYSQL_PWD=$3 mysql $ask -u root -e "CREATE DATABASE IF NOT EXISTS \`$4\`" || true
}
