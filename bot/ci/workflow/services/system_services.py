"""Databases that GitHub's runners have installed, and that a step starts as a system service.

A service lives as long as the command that uses it, so what a step started is started again by
every later one. Users and passwords are those of the runner's image:
https://github.com/actions/runner-images/blob/main/images/ubuntu/Ubuntu2404-Readme.md#databases.
"""

from __future__ import annotations

from bot.ci.workflow.services.services import JobService
from bot.ci.workflow.services.trust_auth import let_in

_MYSQL = JobService("mysql", "mysql", 3306, "root", "root", "", "root")
_POSTGRES = JobService("postgresql", "postgres", 5432, "postgres", "root", "postgres")
_REDIS = JobService("redis", "redis", 6379, "", "", "")
_ENDING = ".service"

STARTED = "~/.ci/started"
"""Names of the services that steps started."""

FUNCTIONS = rf"""
# ci_system_service NAME: start what the runner's image has by that name; fail for any other.
ci_system_service() {{
  case ${{1%{_ENDING}}} in
    mysql | mysqld | mariadb) {_MYSQL.start()} ;;
    postgresql | postgresql@* | postgres)
      {_POSTGRES.start()}
      [ -d ~/.ci/services/{_POSTGRES.name} ] || return 0
      {let_in(_POSTGRES).strip()}
      ;;
    redis | redis-server | valkey | valkey-server) {_REDIS.start()} ;;
    *) return 1 ;;
  esac
}}
"""
"""Behind those of services."""

BEGIN = rf"""
export MYSQL_UNIX_PORT=/tmp/mysql-{_MYSQL.port}.sock
if [ "${{1:-none}}" != none ] && [ -f {STARTED} ]; then
  while IFS= read -r ci_name; do ci_system_service "$ci_name"; done <{STARTED}
fi
"""
"""What every step begins with: clients of MySQL without a host look for its socket."""

SERVICE = rf"""
name=${{1%{_ENDING}}}
case $2 in start | restart | reload) ;; *) exit 0 ;; esac
. ~/.ci/begin none
if ci_system_service "$name"; then
  grep -qxF -- "$name" {STARTED} 2>/dev/null || printf '%s\n' "$name" >>{STARTED}
else
  ci_said "The system service $name is not started here."
fi
exit 0
"""
"""In place of `service NAME ACTION`."""

SYSTEMCTL = r"""
words=()
for word in "$@"; do case $word in -*) ;; *) words+=("$word") ;; esac; done
case ${words[0]} in enable) [[ " $* " == *' --now '* ]] && words[0]=start ;; esac
for name in "${words[@]:1}"; do service "$name" "${words[0]}"; done
exit 0
"""
"""In place of `systemctl ACTION NAME...`."""
