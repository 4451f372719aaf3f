# In place of what the action of micromamba makes: the one environment is always active.
exec bash -eo pipefail "$@"
