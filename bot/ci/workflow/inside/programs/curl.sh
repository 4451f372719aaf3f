# In place of curl and wget, which their own names tell apart: installers that a package index has come from there.
program=${0##*/} url= file= installer=
for ((n = 1; n <= $#; n++)); do
  word=${!n} next=$((n + 1))
  case $program:$word in
    *:http://* | *:https://*) url=$word ;;
    curl:--output | curl:-o | curl:-[a-zA-Z]*o | wget:--output-document | wget:-[a-zA-Z]*O | wget:-O) file=${!next} ;;
    curl:-O | curl:--remote-name | curl:-[a-zA-Z]*O) file=/ ;;
    *:--output=* | *:--output-document=*) file=${word#*=} ;;
    wget:-*O-) file=- ;;
  esac
done
case $url in
@INSTALLERS@
esac
if [ -z "$installer" ]; then
  PATH=${PATH//"$HOME/.ci/bin:"/}
  exec "$program" "$@"
fi
[ "$program" != wget ] || file=${file:-/}
[ "$file" != / ] || file=${url##*/}
ci_said "What $url installs comes from a package index here."
case $file in "" | -) printf '%s\n' "$installer" ;; *) printf '%s\n' "$installer" >"$file" ;; esac
