PATH=${PATH//"$HOME/.ci/bin:"/}
if ! command -v yarn >/dev/null; then
  wanted=$(sed -nE 's/.*"packageManager": *"yarn@([0-9][^"+]*).*/\1/p' package.json "$GITHUB_WORKSPACE/package.json" 2>/dev/null | head -n 1)
  case $wanted in "" | [01].*) package=yarn@${wanted:-1} ;; *) package=@yarnpkg/cli-dist@$wanted ;; esac
  npm install --global --no-audit --no-fund "$package" >&2 || exit
  hash -r
fi
exec yarn "$@"
