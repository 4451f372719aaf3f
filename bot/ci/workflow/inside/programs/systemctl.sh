# In place of `systemctl ACTION NAME...`.
words=()
for word in "$@"; do case $word in -*) ;; *) words+=("$word") ;; esac; done
case ${words[0]} in enable) [[ " $* " == *' --now '* ]] && words[0]=start ;; esac
for name in "${words[@]:1}"; do service "$name" "${words[0]}"; done
exit 0
