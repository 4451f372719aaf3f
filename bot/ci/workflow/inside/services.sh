# Starts services; the second start of one that runs already does no harm. Needs mysql_runs.sh.
# ci_listens PORT: wait until something does, for 30 seconds at most.
ci_listens() {
  local n
  for n in $(seq 300); do
    (exec 3<>/dev/tcp/127.0.0.1/"$1") 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}

# ci_mysql_accounts USER PASSWORD DATABASE ROOT_PASSWORD: print the SQL that makes them, as often as it is done.
ci_mysql_accounts() {
  local user password root account
  user=${1//\'/\'\'} password=${2//\\/\\\\} root=${4//\\/\\\\}
  password=${password//\'/\'\'} root=${root//\'/\'\'}
  [ -z "$3" ] || printf 'CREATE DATABASE IF NOT EXISTS `%s`;\n' "${3//\`/}"
  printf "CREATE USER IF NOT EXISTS root@'%%' IDENTIFIED BY '%s';\n" "$root"
  for account in % localhost 127.0.0.1 ::1; do printf "ALTER USER IF EXISTS root@'%s' IDENTIFIED BY '%s';\n" "$account" "$root"; done
  printf "GRANT ALL ON *.* TO root@'%%' WITH GRANT OPTION;\n"
  [ "$1" != root ] || return 0
  printf "CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s';\n" "$user" "$password"
  [ -z "$3" ] || printf "GRANT ALL ON \`%s\`.* TO '%s'@'%%';\n" "${3//\`/}" "$user"
}

# ci_mysql_certificate DATA: make one where there is OpenSSL: MySQL has one from the beginning, MariaDB has not.
ci_mysql_certificate() { openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -keyout "$1.key" -out "$1.pem" || rm -f "$1.pem"; }

# ci_service KIND NAME PORT USER PASSWORD DATABASE ROOT_PASSWORD: start a service for this command.
ci_service() {
  local data=~/.ci/services/$2 log=~/.ci/services/$2.log programs
  (exec 3<>/dev/tcp/127.0.0.1/"$3") 2>/dev/null && return 0
  mkdir -p ~/.ci/services
  case $1 in
    postgres)
      programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
      PATH=$PATH${programs:+:$programs}
      if ! command -v initdb >/dev/null; then ci_said "The service $2 (PostgreSQL) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      if [ ! -d "$data" ]; then
        printf '%s\n' "${5:-x}" >"$data.pw"
        initdb -D "$data" -U "$4" --pwfile="$data.pw" -A scram-sha-256 -E UTF8 --no-sync >"$log" 2>&1 || { ci_said "The service $2 did not start here."; return 0; }
      fi
      rm -f "$data/postmaster.pid" "/tmp/.s.PGSQL.$3" "/tmp/.s.PGSQL.$3.lock"
      pg_ctl -D "$data" -s -w -t 30 -l "$log" -o "-p $3 -h 127.0.0.1 -k /tmp -F" start >/dev/null 2>&1 </dev/null || return 0
      [ "$6" = postgres ] || PGPASSWORD=${5:-x} createdb -h 127.0.0.1 -p "$3" -U "$4" -- "$6" 2>/dev/null || true
      ;;
    redis)
      programs=$(command -v redis-server || command -v valkey-server)
      if [ -z "$programs" ]; then ci_said "The service $2 (Redis) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      mkdir -p "$data"
      "$programs" --port "$3" --bind 127.0.0.1 --dir "$data" --save '' --appendonly yes --appendfsync no ${5:+--requirepass "$5"} --daemonize yes --logfile "$log" >/dev/null 2>&1 || true
      ci_listens "$3" || ci_said "The service $2 did not start here."
      ;;
    mysql)
      if ! command -v mysqld >/dev/null; then ci_said "The service $2 (MySQL) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      if [ ! -d "$data" ]; then
        if mysqld --version 2>/dev/null | grep -qi mariadb; then
          mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal --skip-test-db &&
            ci_mysql_certificate "$data"
        else
          mysqld --no-defaults --initialize-insecure --datadir="$data"
        fi >"$log" 2>&1 || { rm -rf "$data"; ci_said "The service $2 did not start here."; return 0; }
      fi
      ci_mysql_accounts "$4" "$5" "$6" "$7" >"$data.sql"
      ci_mysql_runs "$2" "$3" --init-file="$data.sql"
      ci_listens "$3" || ci_said "The service $2 did not start here."
      ;;
  esac
  return 0
}
