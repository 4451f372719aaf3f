"""Run a command where nothing tells of a test or of Fixpoint.

Another folder, home and user name, none of our variables, and behind it no trace of the test
runner in what a program can look at: `inside/disguise.py` for Python, a few lines for Node.js. The
command leaves no report: what asks for one is a trace.
"""

from __future__ import annotations

from importlib.resources import files

from sandbox.base import HOME, SCRATCH, WORKSPACE, Sandbox

_FOLDER = f"{SCRATCH}/fixpoint/disguise"
_USER = "sam"

_FOR_NODE = """\
if (process.env.NODE_TEST_CONTEXT) {
  delete process.env.NODE_TEST_CONTEXT;
  delete process.env.NODE_OPTIONS;
}
"""
"""A process for one file of tests: it then ends with the status that its tests have."""

# An environment of Python is moved as links to what is installed; the files that name its place,
# or that of the work tree, are written anew.
_DISGUISED = """\
old={workspace} new={root}/work was={home} home={root}/{user}
moved() {{ sed -e "s#$old#$new#g" -e "s#$was#$home#g" "$1" > "$2"; }}
environment() {{
  mkdir -p "$2/bin"
  for one in "$1"/* "$1"/.[!.]*; do
    case "$one" in */bin|*/lib|*/lib64|*/pyvenv.cfg) ;; *) [ -e "$one" ] && ln -s "$one" "$2/" ;; esac
  done
  moved "$1/pyvenv.cfg" "$2/pyvenv.cfg"
  for one in "$1"/bin/*; do
    if [ ! -L "$one" ] && grep -qIs -e "$old" -e "$was" "$one"; then
      moved "$one" "$2/bin/${{one##*/}}"; chmod +x "$2/bin/${{one##*/}}"
    else cp -P "$one" "$2/bin/"; fi
  done
  [ -L "$1/lib64" ] && cp -P "$1/lib64" "$2/lib64"
  for site in "$1"/lib/python*/site-packages; do
    there="$2${{site#"$1"}}"; mkdir -p "$there"
    find "$site" -mindepth 1 -maxdepth 1 -exec ln -s -t "$there" {{}} +
    grep -lIs -e "$old" -e "$was" "$site"/*.pth "$site"/*.py "$site"/*.egg-link | while read -r one; do
      rm "$there/${{one##*/}}"; moved "$one" "$there/${{one##*/}}"
    done
  done
}}
{{
mkdir -p "$new" "$home" {root}/lib
mv {folder}/* {root}/lib/; rmdir -p {folder}
cp -a "$old/." "$new/" && find "$old" -mindepth 1 -maxdepth 1 -exec rm -rf {{}} +
for one in "$was"/* "$was"/.[!.]*; do
  if [ -f "$one/pyvenv.cfg" ]; then environment "$one" "$home/${{one##*/}}"
  elif [ -e "$one" ]; then ln -s "$one" "$home/"; fi
done
find "$new" -maxdepth 4 -name pyvenv.cfg | while read -r one; do
  one="${{one%/pyvenv.cfg}}"
  grep -lIs "$old" "$one"/pyvenv.cfg "$one"/bin/* "$one"/lib/python*/site-packages/*.{{pth,py}} |
    while read -r named; do sed -i "s#$old#$new#g" "$named"; done
done
}} 2>/dev/null
while IFS= read -r -d '' one; do
  name="${{one%%=*}}" value="${{one#*=}}"
  case "$name" in
    CI|FIXPOINT*) unset "$name" ;;
    *) shown="${{value//$old/$new}}"; shown="${{shown//$was/$home}}"
       [ "$shown" = "$value" ] || export "$name=$shown" ;;
  esac
done < <(env -0)
export USER={user} LOGNAME={user} PYTHONPATH="{root}/lib${{PYTHONPATH:+:$PYTHONPATH}}"
export NODE_OPTIONS="${{NODE_OPTIONS:+$NODE_OPTIONS }}--require {root}/lib/plain.cjs"
unset -f moved environment; unset OLDPWD old new was home one name value shown site there named
cd {root}/work && {{
{command}
}}"""


def needed() -> dict[str, bytes]:
    """Return the files that `disguised` needs in its folder, by name."""
    program = files("bot.repair.workspace.inside") / "disguise.py"
    return {"sitecustomize.py": program.read_bytes(), "plain.cjs": _FOR_NODE.encode()}


async def put_ready(sandbox: Sandbox) -> None:
    """Bring into a sandbox what `disguised` needs there."""
    for name, data in needed().items():
        await sandbox.write_file(f"{_FOLDER}/{name}", data)


def disguised(
    command: str,
    word: str,
    *,
    folder: str = _FOLDER,
    workspace: str = WORKSPACE,
    home: str = HOME,
    scratch: str = SCRATCH,
) -> str:
    """Return shell text that does the same in another place, and ends with the same status.

    Args:
        command: As a person would type it, run in the work tree.
        word: What the other place is called; nobody can know it beforehand.
        folder: Where `put_ready` has put what is needed.
        workspace: The work tree, which is empty afterwards.
        home: Of the user.
        scratch: Where the other place is made.
    """
    root = f"{scratch}/{word}"
    there = command.replace(workspace, f"{root}/work").replace(home, f"{root}/{_USER}")
    return _DISGUISED.format(
        root=root, user=_USER, folder=folder, workspace=workspace, home=home, command=there
    )


def as_at_home(text: str, word: str) -> str:
    """Return what a disguised command said, with the places that it has otherwise."""
    root = f"{SCRATCH}/{word}"
    return text.replace(f"{root}/work", WORKSPACE).replace(f"{root}/{_USER}", HOME)
