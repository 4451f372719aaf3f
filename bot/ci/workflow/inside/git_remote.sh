# What a checkout of GitHub's runner has: hooks, and a remote to fetch from.
# ci_git REPOSITORY UNSHALLOW BRANCH...: give the checkout what a runner's has: a folder for hooks, and a remote that answers without network, with the history that is here.
ci_git() (
  origin=~/.ci/origin.git
  cd "$GITHUB_WORKSPACE" && git rev-parse -q --verify HEAD >/dev/null 2>&1 || exit 0
  mkdir -p "$(git rev-parse --git-path hooks)"
  shallow=$(git rev-parse --git-path shallow)
  [ -d "$origin" ] || [ ! -f "$shallow" ] || { mkdir -p "$origin" && cp "$shallow" "$origin/shallow"; }
  git init -q --bare --template= --initial-branch="$3" "$origin" 2>/dev/null
  mkdir -p "$origin/objects/info"
  (cd "$(git rev-parse --git-path objects)" && pwd) >"$origin/objects/info/alternates"
  git for-each-ref --format='update %(refname) %(objectname)' refs/tags | git -C "$origin" update-ref --stdin
  for branch in "${@:3}"; do
    git -C "$origin" update-ref "refs/heads/$branch" "$(git rev-parse HEAD)"
    git update-ref "refs/remotes/origin/$branch" HEAD
  done
  git remote get-url origin >/dev/null 2>&1 || git remote add origin "https://github.com/$1.git"
  git config "url.$origin.insteadOf" "https://github.com/$1.git"
  # Only of a shallow repository git takes `--unshallow`; cut off before its first commit, it has everything.
  [ -z "$2" ] || [ -f "$shallow" ] || git rev-list --max-parents=0 HEAD >"$shallow"
)
