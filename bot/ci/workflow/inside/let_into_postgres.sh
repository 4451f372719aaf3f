# ci_service put the programs on the PATH.
# ci_let_in SERVICE PORT SUPERUSER ROLE DATABASE: make them, and ask nobody for a password.
ci_let_in() {
  local data=~/.ci/services/$1 ask="-h 127.0.0.1 -p $2 -U $3"
  [ -f "$data/pg_hba.conf" ] || return 0
  sed -i 's/scram-sha-256$/trust/' "$data/pg_hba.conf"
  pg_ctl -D "$data" -s reload
  [ -z "$4" ] || createuser $ask --superuser -- "$4" 2>/dev/null || true
  [ -z "$4$5" ] || createdb $ask -- "${5:-$4}" 2>/dev/null || true
}
