# What a step started is started again by every later one. Clients of MySQL without a host look for its socket.
export MYSQL_UNIX_PORT=/tmp/mysql-3306.sock
if [ "${1:-none}" != none ] && [ -f ~/.ci/started ]; then
  while IFS= read -r ci_name; do ci_system_service "$ci_name"; done <~/.ci/started
fi
