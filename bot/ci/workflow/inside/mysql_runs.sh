# ci_mysql_runs NAME PORT [OPTION...]: start it with the data that are there.
ci_mysql_runs() {
  local data=~/.ci/services/$1 port=$2
  shift 2
  [ ! -f "$data.pem" ] || set -- --ssl-cert="$data.pem" --ssl-key="$data.key" "$@"
  rm -f "/tmp/mysql-$port.sock" "/tmp/mysql-$port.sock.lock"
  # No job of the step's own shell: a `wait` there must not wait for it.
  (setsid mysqld --no-defaults --datadir="$data" --port="$port" --bind-address=127.0.0.1 --skip-name-resolve --socket="/tmp/mysql-$port.sock" --pid-file="$data.pid" --innodb-flush-log-at-trx-commit=2 "$@" >>"$data.log" 2>&1 </dev/null &)
}
