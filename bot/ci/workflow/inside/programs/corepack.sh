PATH=${PATH//"$HOME/.ci/bin:"/}
command -v corepack >/dev/null || { ci_said "corepack is not installed in this sandbox."; exit 0; }
if [ "$1" = enable ]; then exec corepack enable --install-directory "$HOME/.local/bin" "${@:2}"; fi
exec corepack "$@"
