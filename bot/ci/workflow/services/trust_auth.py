"""Let everybody into a database that was started for a command, whatever user and password they name.

It is the sandbox's own and listens on the loopback. Bash, behind that of `services.py`.
"""

from __future__ import annotations

import shlex

from bot.ci.workflow.services.services import MYSQL_RUNS, JobService

_POSTGRES = r"""
# ci_let_in SERVICE PORT SUPERUSER ROLE DATABASE: make them, and ask nobody for a password.
ci_let_in() {
  local data=~/.ci/services/$1 ask="-h 127.0.0.1 -p $2 -U $3"
  [ -f "$data/pg_hba.conf" ] || return 0
  sed -i 's/scram-sha-256$/trust/' "$data/pg_hba.conf"
  pg_ctl -D "$data" -s reload
  [ -z "$4" ] || createuser $ask --superuser -- "$4" 2>/dev/null || true
  [ -z "$4$5" ] || createdb $ask -- "${5:-$4}" 2>/dev/null || true
}"""
"""`ci_service` put the programs on the `PATH`."""

_MYSQL = (
    MYSQL_RUNS
    + r"""# ci_mysql_let_in SERVICE PORT ROOT_PASSWORD DATABASE: ask nobody for a password, and make a database.
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
}"""
)
"""MySQL from 8.0 on closes its port with that option, so it goes on asking:
https://dev.mysql.com/doc/refman/8.4/en/server-options.html#option_mysqld_skip-grant-tables"""


def let_in(service: JobService, role: str = "", database: str = "") -> str:
    """Return the bash text that lets everybody in, and makes a user of PostgreSQL or a database.

    A service of another kind asks nobody: its text is empty.
    """
    name, port, root = service.name, str(service.port), service.root_password
    match service.kind:
        case "postgres":
            words = ("ci_let_in", name, port, service.user, role, database)
            return f"{_POSTGRES}\n{shlex.join(words)}"
        case "mysql":
            return f"{_MYSQL}\n{shlex.join(('ci_mysql_let_in', name, port, root, database))}"
        case _:
            return ""
