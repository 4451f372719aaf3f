command=$1 wanted=
for word in "${@:2}"; do case $word in -*) ;; *) wanted=${wanted:-${word#v}} ;; esac; done
found=$(ls -d /opt/fixpoint/node/*/v"$wanted"{,.*}/{,installation/}bin 2>/dev/null | sort -t / -k 6,6V | tail -n 1)
found=${found:-$(dirname "$(command -v node)")}
case $command in
  install | use)
    echo "$found" >>"$GITHUB_PATH"
    have=$("$found/node" --version)
    [[ $have == v"$wanted"* ]] || ci_said "node $wanted is not available here: $have is used."
    ;;
  which) echo "$found/node" ;;
  exec | run) PATH=$found:$PATH exec "${@:3}" ;;
  current) node --version ;;
esac
exit 0
