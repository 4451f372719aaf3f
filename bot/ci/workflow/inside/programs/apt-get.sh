if [ "$(id -u)" = 0 ] && [ -x /usr/bin/apt-get ] && [ -w /usr ]; then exec /usr/bin/apt-get "$@"; fi
packages=() missing=()
for word in "$@"; do
  case $word in -* | update | upgrade | remove | purge | autoremove | clean) ;; install) packages=(install) ;; *) [ ${#packages[@]} = 0 ] || packages+=("${word%%=*}") ;; esac
done
for package in "${packages[@]:1}"; do
  dpkg -s "$package" >/dev/null 2>&1 || command -v "$package" >/dev/null && continue
  case $package in
@FROM_INDEXES@
    python3-venv | python3-pip | python3-dev | python3 | build-essential) ;;
    python3-*)
      module=${package#python3-} module=${module//-/_}
      { @IMPORTS_MODULE@; } >/dev/null 2>&1 || missing+=("$package")
      ;;
    *) missing+=("$package") ;;
  esac
done
[ ${#missing[@]} = 0 ] || ci_said "System packages are not installed: ${missing[*]}"
exit 0
