#!/usr/bin/env bash
# The steps of action.yml and repair/action.yml.
#   action.sh install   Fixpoint into a virtual environment beside the job's own programs
#   action.sh prove     the change in $REPOSITORY since $BASE; the card goes into the job's summary
#   action.sh repair    the job $JOB of the workflow run $FAILED_RUN, or what $COMMENT asks for
set -euo pipefail

place="${RUNNER_TEMP:-/tmp}/fixpoint-proof"
python="$place/bin/python"

install() {
  local name found=""
  for name in python3 python3.13 python3.12 python3.11; do # what a name leads to may not run
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      found=$name
      break
    fi
  done
  if command -v uv > /dev/null; then
    uv venv --quiet --python '>=3.11' "$place"
    uv pip install --quiet --python "$python" --require-hashes -r "$ACTION/requirements.lock"
    uv pip install --quiet --python "$python" --no-deps "$ACTION"
  elif [ -z "$found" ]; then
    echo "::error::Fixpoint needs Python 3.11 or newer: add actions/setup-python before it."
    return 1
  else
    "$found" -m venv "$place"
    "$python" -m pip install --quiet --require-hashes -r "$ACTION/requirements.lock"
    "$python" -m pip install --quiet --no-deps "$ACTION"
  fi
  if ! command -v bwrap > /dev/null; then
    sudo apt-get update -qq
    sudo apt-get install -y -qq --no-install-recommends bubblewrap
  fi
  # Ubuntu lets no plain program make the namespaces that a sandbox is made of, since 23.10:
  # https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces
  if [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2> /dev/null)" = 1 ]; then
    sudo sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0
  fi
}

prove() {
  local card="$place/card.json" code=0 line
  local -a options=(--base "$BASE" --timeout "$SECONDS_LIMIT" --json --markdown "$place/card.md")
  [ -z "$TEST" ] || options+=(--test "$TEST")
  while IFS= read -r line; do
    [ -z "$line" ] || options+=(--setup "$line")
  done <<< "$SETUP"
  [ -z "$TITLE" ] || options+=(--issue "$TITLE"$'\n\n'"$BODY")
  [ -z "$SARIF" ] || options+=(--sarif "$SARIF")
  "$place/bin/fixpoint" verify "$REPOSITORY" "${options[@]}" > "$card" || code=$?
  [ "$code" != 2 ] || exit 2 # nothing could be run: the reason is in the log
  cat "$place/card.md" >> "$GITHUB_STEP_SUMMARY"
  local -A results=([0]=proven [1]=not-proven [3]=open)
  {
    echo "result=${results[$code]}"
    echo "card=$card"
    echo "sarif=$SARIF"
  } >> "$GITHUB_OUTPUT"
  # shellcheck disable=SC2016 # the names are Python's
  "$python" -c '
import json, sys

card, wanted = json.load(open(sys.argv[1])), {row.strip() for row in sys.argv[2].split(",")} - {""}
states = {row["row"]: row["state"] for row in card["rows"]}
failed = sorted(row for row in wanted if states.get(row) in {None, "refuted", "not_shown"})
if card["problem"] and wanted:
    sys.exit(card["problem"])
if failed:
    sys.exit("Not shown: " + ", ".join(failed) + ".")
' "$card" "$REQUIRED"
}

told() { # the outcome and the pull request
  { echo "result=$1"; echo "pull-request=${2:-}"; } >> "$GITHUB_OUTPUT"
}

may_ask() { # whether a comment is a command of somebody who may push
  local permission
  [[ "$COMMENT" =~ ^/fix([[:space:]]|$) ]] || return 1
  permission=$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$COMMENTED_BY/permission" --jq .permission)
  [ "$permission" = admin ] || [ "$permission" = write ]
}

repair() {
  local body="$place/body.md" branch="fixpoint/$GITHUB_RUN_ID" base="" code=0 url=""
  local -a options=(--branch "$branch" --body "$body" --timeout "$SECONDS_LIMIT" --json)
  cd "$REPOSITORY"
  if [ -n "$COMMENT" ]; then
    may_ask || { told skipped; return; }
    base=$DEFAULT_BRANCH
    if [ -n "$PULL_REQUEST" ]; then
      gh pr checkout "$NUMBER"
      base=$(git branch --show-current)
    fi
    options+=(--issue "$TITLE"$'\n\n'"$BODY"$'\n\n'"${COMMENT#/fix}")
  else
    # another repository's branch has code of strangers, and can't be pushed to
    [ "$FAILED_IN" = "$GITHUB_REPOSITORY" ] || { told skipped; return; }
    base=$FAILED_BRANCH
    if [ -z "$JOB" ]; then
      JOB=$(gh api "repos/$GITHUB_REPOSITORY/actions/runs/$FAILED_RUN/jobs" \
        --jq '[.jobs[] | select(.conclusion == "failure") | .name][0] // ""')
    fi
    [ -n "$JOB" ] || { told skipped; return; }
  fi
  [ -z "$JOB" ] || options+=(--job "$JOB")
  env -u GH_TOKEN "$place/bin/fixpoint" fix . "${options[@]}" > "$place/report.json" || code=$?
  [ ! -f "$body" ] || cat "$body" >> "$GITHUB_STEP_SUMMARY"
  local -A results=([0]=fixed [1]=not-fixed [3]=to-check)
  [ -n "${results[$code]:-}" ] || exit "$code" # nothing could be run: the reason is in the log
  if git show-ref --verify --quiet "refs/heads/$branch"; then
    git push --quiet origin "$branch"
    url=$(gh pr create --draft --base "$base" --head "$branch" --body-file "$body" \
      --title "$(git log -1 --format=%s "$branch")")
  elif [ -n "$NUMBER" ] && [ -f "$body" ]; then
    gh issue comment "$NUMBER" --body-file "$body" > /dev/null
  fi
  told "${results[$code]}" "$url"
}

"$1"
