# npm's shell: what an install script of a package downloads can't be reached, so its failure is said and passed over.
case $npm_lifecycle_event:$PWD/ in
  install:*/node_modules/* | preinstall:*/node_modules/* | postinstall:*/node_modules/*) ;;
  *) exec sh "$@" ;;
esac
log=$(mktemp) code=0
sh "$@" >"$log" 2>&1 || code=$?
cat "$log"
if [ "$code" != 0 ] && grep -qE @UNREACHABLE@ "$log"; then
  ci_said "The $npm_lifecycle_event script of $npm_package_name fails here. What it downloads can't be reached."
  code=0
fi
rm -f "$log"
exit "$code"
