"""How a test keeps a part of the state from staying behind, in pytest's way and in unittest's. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.model.flaky import LeftState
from bot.reporting.reasons import flaky_edits as reasons

SAVED = "saved"

_ENVIRON = "unittest.mock.patch.dict(os.environ)"
_MOCK = ("os", "unittest.mock")
_ATTRIBUTES = frozenset({"module attribute", "class attribute", "attribute"})
_INSTANCE = re.compile(r"[A-Za-z_]\w* \{")


@dataclass(frozen=True, slots=True)
class Restoration:
    """One way to keep a part of the state from staying behind.

    Attributes:
        says: What a test does then, as a phrase that begins with a verb.
        imports: Modules that it needs.
        keeps: An expression that is evaluated first; `saved` stands for its value afterwards.
        undoes: What is called in the end, each with its arguments, in this order.
        works_with: Statements after `keeps`: what the test finds instead.
        patcher: An expression of `unittest.mock` that does it all in the place of the former; or "".
        monkeypatch: A statement that does the same with pytest's fixture of that name; or "".
        helper: A function that is called in the end, as lines.
    """

    says: str
    imports: tuple[str, ...] = ()
    keeps: str = ""
    undoes: tuple[tuple[str, str], ...] = ()
    works_with: tuple[str, ...] = ()
    patcher: str = ""
    monkeypatch: str = ""
    helper: tuple[str, ...] = ()

    @property
    def fixture(self) -> tuple[str, ...]:
        """The body of a fixture of pytest's, indented once."""
        if self.patcher:
            inner = [*self.works_with, "yield"]
            ends = (f"    {call}({args})" for call, args in self.undoes)
            return (f"    with {self.patcher}:", *(f"        {line}" for line in inner), *ends)
        lines = [f"{SAVED} = {self.keeps}"] if self.keeps else []
        lines += [*self.works_with, "yield", *(f"{call}({args})" for call, args in self.undoes)]
        return tuple(f"    {line}" for line in lines)

    def cleanups(self, add: str) -> tuple[str, ...]:
        """Return statements for unittest: what is registered last runs first.

        Args:
            add: `self.addCleanup`, or what registers it for a class.
        """
        if self.patcher:
            lines = [f"patcher = {self.patcher}", "patcher.start()"]
            last = [f"{add}(patcher.stop)"]
        else:
            lines, last = [f"{SAVED} = {self.keeps}"] if self.keeps else [], []
        calls = [", ".join(filter(None, [call, args])) for call, args in reversed(self.undoes)]
        if lines and len(calls) == 1 and not any(SAVED in line for line in self.works_with):
            lines, calls = [], [calls[0].replace(SAVED, self.keeps)]
        return (*lines, *(f"{add}({call})" for call in calls), *last, *self.works_with)


@dataclass(frozen=True, slots=True)
class Namespace:
    """How a file writes what has an attribute.

    Attributes:
        expression: `shop.Client`; "" for the file's own module.
        imports: What that needs.
    """

    expression: str
    imports: tuple[str, ...] = ()

    def member(self, name: str) -> str:
        """Return how an attribute of it is written."""
        return f"{self.expression}.{name}" if self.expression else name

    def put(self, name: str, value: str) -> tuple[str, str]:
        """Return the call that sets an attribute of it."""
        if not self.expression:
            return "globals().update", f"{name}={value}"
        return "setattr", f'{self.expression}, "{name}", {value}'

    def patched(self, name: str, value: str) -> str:
        """Return the statement that sets it by pytest's `monkeypatch`."""
        if not self.expression:
            return f'monkeypatch.setitem(globals(), "{name}", {value})'
        return f'monkeypatch.setattr({self.expression}, "{name}", {value})'


NamespaceOf = Callable[[str], Namespace]
"""Tells how a file writes what a dotted name stands for."""


def restorations(state: LeftState, namespace_of: NamespaceOf) -> tuple[Restoration, ...]:
    """Return ways to keep a part of the state from staying behind, the plainest first."""
    if state.kind == "environment variable":
        said = reasons.puts_back(f"the environment variable {state.name}")
        return (Restoration(said, _MOCK, patcher=_ENVIRON),)
    if state.kind in _ATTRIBUTES:
        return tuple(_of_attribute(state, namespace_of))
    return tuple(_of_process(state))


def presets(state: LeftState, namespace_of: NamespaceOf, value: str) -> tuple[Restoration, ...]:
    """Return ways to give a part of the state a value for one test.

    Args:
        state: The part.
        namespace_of: As for `restorations`.
        value: As it was seen: of a variable the text, of an attribute what Python writes; "" for none.
    """
    if state.kind == "environment variable":
        name = repr(state.name).replace("'", '"')
        sets = f"os.environ[{name}] = {value!r}" if value else f"os.environ.pop({name}, None)"
        patched = f"setenv({name}, {value!r})" if value else f"delenv({name}, raising=False)"
        said = reasons.sets_first(f"the environment variable {state.name}", removed=not value)
        return (Restoration(said, _MOCK, "", (), (sets,), _ENVIRON, f"monkeypatch.{patched}"),)
    if state.kind in _ATTRIBUTES and _is_literal(value):
        place, _, name = state.name.rpartition(".")
        owner = namespace_of(place)
        said = reasons.sets_first(owner.member(name))
        call, arguments = owner.put(name, value)
        return (
            Restoration(
                said, owner.imports, owner.member(name), (owner.put(name, SAVED),),
                (f"{call}({arguments})",), "", owner.patched(name, value),
            ),
        )  # fmt: skip
    return ()


def of_files(paths: Sequence[str], root: str) -> Restoration:
    """Return what takes files away that a test makes, and writes those again that it changes.

    Args:
        paths: Relative to the work tree.
        root: An expression for the work tree, a `pathlib.Path`.
    """
    named = ", ".join(f'"{path}"' for path in paths)
    return Restoration(
        reasons.puts_back("the files"),
        ("pathlib", "shutil"),
        f"kept_files({root}, [{named}])",
        (("put_back", SAVED),),
        helper=_FILES,
    )


_FILES = (
    "def kept_files(root, names):",
    "    paths = [root / name for name in names]",
    "    return {path: path.read_bytes() if path.is_file() else None for path in paths}",
    "",
    "",
    "def put_back(files):",
    "    for path, data in files.items():",
    "        if data is not None:",
    "            path.parent.mkdir(parents=True, exist_ok=True)",
    "            path.write_bytes(data)",
    "        elif path.is_dir():",
    "            shutil.rmtree(str(path))",
    "        elif path.exists():",
    "            path.unlink()",
)


def of_zone(zone: str) -> Restoration:
    """Return what gives a test its own time zone."""
    return Restoration(
        reasons.in_zone(zone),
        ("os", "time", "unittest.mock"),
        undoes=(("time.tzset", ""),),
        works_with=("time.tzset()",),
        patcher=f'unittest.mock.patch.dict(os.environ, {{"TZ": "{zone}"}})',
    )


def _of_attribute(state: LeftState, namespace_of: NamespaceOf) -> Iterator[Restoration]:
    place, _, name = state.name.rpartition(".")
    owner = namespace_of(place)
    member = owner.member(name)
    said = reasons.puts_back(member)
    if state.after.endswith(", closed"):
        yield Restoration(
            reasons.own_stream(member), ("io", *owner.imports), member,
            (owner.put(name, SAVED),), (f"{member} = io.StringIO()",),
            monkeypatch=owner.patched(name, "io.StringIO()"),
        )  # fmt: skip
        return
    if not state.before:
        gone = (
            ("delattr", f'{owner.expression}, "{name}"')
            if owner.expression
            else ("globals().pop", f'"{name}"')
        )
        yield Restoration(reasons.takes_away(member), owner.imports, undoes=(gone,))
        return
    put = (owner.put(name, SAVED),)
    rebound = Restoration(said, owner.imports, member, put, monkeypatch=owner.patched(name, member))
    if not _is_mutable(state.before):
        yield rebound
        return
    copied = f"copy.deepcopy({member})"
    imports = ("copy", *owner.imports)
    call, arguments = owner.put(name, f"copy.deepcopy({SAVED})")
    yield Restoration(
        reasons.own_copy(member), imports, member, put, (f"{call}({arguments})",),
        monkeypatch=owner.patched(name, copied),
    )  # fmt: skip
    for keeps, refill in _in_place(state.before, member):
        yield Restoration(said, imports, keeps, refill)
    yield rebound


def _is_mutable(text: str) -> bool:
    return text[:1] in {"{", "["} or _INSTANCE.match(text) is not None


def _in_place(text: str, member: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield what is kept of an object, and what makes the same object again what it was."""
    if text.startswith("["):
        yield f"copy.deepcopy({member})", ((f"{member}.__setitem__", f"slice(None), {SAVED}"),)
    elif text.startswith("{"):
        yield f"copy.deepcopy({member})", ((f"{member}.clear", ""), (f"{member}.update", SAVED))
    else:
        inside = f"vars({member})"
        refill = ((f"{inside}.clear", ""), (f"{inside}.update", SAVED))
        yield f"copy.deepcopy({inside})", refill
        copied = "copy.copy(value) if isinstance(value, (dict, list, set)) else value"
        yield f"{{name: {copied} for name, value in {inside}.items()}}", refill  # no locks, say


_PROCESS: dict[str, tuple[str, str, str, str]] = {
    "working directory": ("os", "os.getcwd()", "os.chdir", SAVED),
    "warnings filters": (
        "warnings", "warnings.filters[:]", "warnings.filters.__setitem__", f"slice(None), {SAVED}",
    ),
    "locale": ("locale", "locale.setlocale(locale.LC_ALL)", "locale.setlocale", f"locale.LC_ALL, {SAVED}"),
    "random numbers": ("random", "random.getstate()", "random.setstate", SAVED),
}  # fmt: skip
"""By kind: module, what is kept, and what is called with it."""


def _of_process(state: LeftState) -> Iterator[Restoration]:
    said = reasons.puts_back(f"the {state.kind} {state.name}".strip())
    patched = "monkeypatch.chdir(os.getcwd())" if state.kind == "working directory" else ""
    if state.kind in _PROCESS:
        module, keeps, call, arguments = _PROCESS[state.kind]
        yield Restoration(said, (module,), keeps, ((call, arguments),), monkeypatch=patched)
    elif state.kind == "umask":
        yield Restoration(said, ("os",), undoes=(("os.umask", f"0o{state.before}"),))
    elif state.kind == "signal handler":
        signal = f"signal.{state.name}"
        undo = (("signal.signal", f"{signal}, {SAVED}"),)
        yield Restoration(said, ("signal",), f"signal.getsignal({signal})", undo)
    elif state.kind == "logger" and state.name == "logging.disable":
        undo = (("logging.disable", SAVED),)
        yield Restoration(
            reasons.puts_back("the level up to which logging is disabled"),
            ("logging",),
            "logging.root.manager.disable",
            undo,
        )
    elif state.kind == "logger":
        yield from _of_logger(state)


def _of_logger(state: LeftState) -> Iterator[Restoration]:
    logger = "logging.getLogger()" if state.name == "root" else f"logging.getLogger({state.name!r})"
    said = reasons.puts_back(f"the logger {state.name}")
    for was, now in zip(state.before.split(", "), state.after.split(", "), strict=False):
        name = was.split()[0] if was != now else ""
        if name == "level":
            undo = ((f"{logger}.setLevel", SAVED),)
            yield Restoration(said, ("logging",), f"{logger}.level", undo)
        elif name in {"disabled", "propagate"}:
            undo = (("setattr", f'{logger}, "{name}", {SAVED}'),)
            yield Restoration(said, ("logging",), f"{logger}.{name}", undo)
        elif name:
            undo = ((f"{logger}.handlers.__setitem__", f"slice(None), {SAVED}"),)
            yield Restoration(said, ("logging",), f"{logger}.handlers[:]", undo)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True
