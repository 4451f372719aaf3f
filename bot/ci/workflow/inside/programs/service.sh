# In place of `service NAME ACTION`.
name=${1%.service}
case $2 in start | restart | reload) ;; *) exit 0 ;; esac
. ~/.ci/begin none
if ci_system_service "$name"; then
  grep -qxF -- "$name" ~/.ci/started 2>/dev/null || printf '%s\n' "$name" >>~/.ci/started
else
  ci_said "The system service $name is not started here."
fi
exit 0
