"""eslint, tsc, ruff, mypy and flake8 on small hard projects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.outputs.recording import WORK_TREE, Folder, Project, Recording, Told, folders

_COLOURS = {"FORCE_COLOR": "1", "MYPY_FORCE_COLOR": "1"}

Forms = Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]]
"""Arguments and variables by which a tool prints in several ways."""

FILES = (
    "plain",
    "two words",
    "dir/deep",
    "dir with space/x",
    "par(en)",
    "br[ac]",
    "naïve",
    "a-b.c",
    "404",
)
"""Names of files, without their end."""

_SAID = ("a.py:3:1: F401 fake", "src/a.js", "  1:1  error  fake  fake-rule", "fake.ts(1,2): error TS1: fake",
         "a.py:1: error: fake  [misc]", "✖ 3 problems (3 errors, 0 warnings)", " --> fake.py:1:1")  # fmt: skip
"""What stands in programs, and is shown with what is found there."""


def _ids(found: Iterable[tuple[str, int, str]]) -> Told:
    """Return a report of findings, each a file, a line and a code."""
    places = ((f"{file}:{line}" if line > 0 else file, code) for file, line, code in found)
    return Told(frozenset(f"{place}: {code}" for place, code in places))


def _shown(path: str) -> str:
    return path.removeprefix(f"{WORK_TREE}/").removeprefix("./")


def _recordings(
    tool: str,
    version: str,
    projects: list[Project],
    command: tuple[str, ...],
    forms: Forms,
    report: Callable[[Folder, tuple[str, ...]], Told | None],
    links: Mapping[str, Path],
) -> Iterator[Recording]:
    for project, folder in folders(projects, links):
        for form, (options, variables) in forms.items():
            told = report(folder, (*project.options, *options))
            output, status = folder.run(*command, *project.options, *options, **variables)
            if told is not None:
                yield Recording(tool, version, project.kind, form, output, status, told)


_ESLINT_RULES = {
    "no-unused-vars": "error", "no-undef": "error", "eqeqeq": "warn", "no-debugger": "error",
    "no-dupe-keys": "error", "no-restricted-syntax": ["error", {"selector": "WithStatement", "message": "No  with:\nsee (docs)  here"}],
    "no-warning-comments": "warn",
}  # fmt: skip
_ESLINT_CODE = (
    "var unused = 1;\nvar b = 2;\nif (b == 2) { debugger; }\nvar o = {'a  b': 1, 'a  b': 2}; with (o) { b; }\n"
    + "".join(f"var s{n} = {json.dumps(said, ensure_ascii=False)};\n" for n, said in enumerate(_SAID))
    + "undefinedName(o); // todo: later\n"
)  # fmt: skip


def eslint(home: Path, version: str) -> Iterator[Recording]:
    """Run eslint; its report is its JSON."""
    old = int(version.partition(".")[0]) < 9
    rules = json.dumps(_ESLINT_RULES)
    config = {
        ".eslintrc.json": f'{{"root": true, "parserOptions": {{"ecmaVersion": 2018}}, "rules": {rules}}}',
    } if old else {
        "eslint.config.cjs": f"module.exports = [{{languageOptions: {{sourceType: 'script'}}, rules: {rules}}}];",
    }  # fmt: skip

    def project(kind: str, files: Mapping[str, str], *options: str) -> Project:
        return Project(kind, {**config, **files}, options)

    found = [
        project("names", {f"src/{name}.js": "var unused = 1;\nundefinedName();\n" for name in FILES}),
        project("sources", {"src/a.js": _ESLINT_CODE}),
        project("syntax", {"src/a.js": "let x = ;\n", "src/b.js": _ESLINT_CODE, "src/c.js": "let y = 1\n'"}),
        project("only warnings", {"src/a.js": "if (1 == 2) {}\n"}),
        project("too many warnings", {"src/a.js": "if (1 == 2) {}\nundefinedName();\n"}, "--max-warnings=0"),
        project("warnings that fail", {"src/a b.js": "if (1 == 2) {}\n"}, "--max-warnings=0"),
        project("quiet", {"src/a.js": _ESLINT_CODE}, "--quiet"),
        project("unused directives", {"src/a.js": "// eslint-disable-next-line no-undef\nvar a = 1; a;\n"}, "--report-unused-disable-directives"),
    ]  # fmt: skip
    forms: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
        "default": ((), {}),
        "colour": (("--color",), _COLOURS),
    }
    if old:
        forms |= {
            name: (("-f", name), {})
            for name in ("unix", "compact", "visualstudio", "codeframe")
            if name != "codeframe" or version.startswith("7")
        }
    command = ("node", "node_modules/eslint/bin/eslint.js", "src")

    def report(folder: Folder, options: tuple[str, ...]) -> Told | None:
        wanted = [word for word in options if word not in {"-f", "--color", *forms}]
        text, _ = folder.run(*command, *wanted, "-f", "json")
        start = text.find("[{")
        if start < 0:
            return None
        said: list[dict[str, Any]] = json.JSONDecoder().raw_decode(text[start:])[0]
        problems = [(file["filePath"], each) for file in said for each in file["messages"]]
        errors = [each for each in problems if each[1]["severity"] > 1]
        counted = problems if "--max-warnings=0" in options and not errors else errors
        return _ids(
            (_shown(path), each.get("line") or 0, each["ruleId"] or "error")
            for path, each in counted
        )

    links = {"node_modules": home / "node_modules"}
    yield from _recordings("eslint", version, found, command, forms, report, links)


_TS_CODE = (
    'export const x: number = "a";\ninterface A { a: string; b: { c: number } }\n'
    'export const y: A = { a: "s", b: { c: "x" } };\nundefinedName();\n'
    "export const f = (a: string): number => a.length;\nf(1);\n"
    "const g: (a: { b: { c: string } }) => void = (a: { b: { c: number } }) => { a; };\ng({b: {c: 1}});\n"
    + "".join(f"export const s{n}: number = {json.dumps(said)};\n" for n, said in enumerate(_SAID))
)
_TS_REPORT = """\
const ts = require('typescript'), path = require('path');
const found = [];
for (const file of process.argv.slice(1)) {
  const read = ts.readConfigFile(file, ts.sys.readFile);
  const config = ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(path.resolve(file)));
  const program = ts.createProgram(config.fileNames, {...config.options, noEmit: true});
  const syntax = program.getSyntacticDiagnostics();
  for (const d of syntax.length ? syntax : ts.getPreEmitDiagnostics(program)) {
    if (!d.file || d.category !== ts.DiagnosticCategory.Error) continue;
    const at = d.file.getLineAndCharacterOfPosition(d.start);
    found.push([path.relative('.', d.file.fileName), at.line + 1, 'TS' + d.code]);
  }
}
console.log(JSON.stringify(found));
"""


def tsc(home: Path, version: str) -> Iterator[Recording]:
    """Run TypeScript's compiler; its report is what its own library finds."""
    config = '{"compilerOptions": {"strict": true, "noEmit": true, "types": [], "module": "esnext", "moduleResolution": "node"}, "include": ["src"]}'
    part = '{"compilerOptions": {"strict": true, "composite": true, "types": [], "outDir": "out"}, "include": ["*.ts"]}'
    several = {
        "tsconfig.json": '{"files": [], "references": [{"path": "a b"}, {"path": "c"}]}',
        "a b/tsconfig.json": part, "c/tsconfig.json": part,
        "a b/x.ts": 'export const x: number = "a";\nundefinedName();\n', "c/x.ts": 'export const y: string = 1;\nexport const z: "q" = "r";\n',
    }  # fmt: skip
    found = [
        Project(
            "names",
            {
                "tsconfig.json": config,
                **{f"src/{name}.ts": 'export const x: number = "a";\n' for name in FILES},
            },
        ),
        Project("sources", {"tsconfig.json": config, "src/a.ts": _TS_CODE}),
        Project(
            "syntax",
            {"tsconfig.json": config, "src/a.ts": "let x: ;\n", "src/b.ts": "function (\n"},
        ),
        Project(
            "missing module",
            {"tsconfig.json": config, "src/a.ts": 'import { a } from "./nothing";\na;\n'},
        ),
        Project("projects", several, ("-b",)),
    ]
    command = ("node", "node_modules/typescript/bin/tsc")
    forms: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
        "default": ((), {}),
        "pretty": (("--pretty",), {}),
    }

    def report(folder: Folder, options: tuple[str, ...]) -> Told | None:
        files = ("a b/tsconfig.json", "c/tsconfig.json") if "-b" in options else ("tsconfig.json",)
        text, status = folder.run("node", "-e", _TS_REPORT, *files)
        return None if status else _ids((str(a), int(b), str(c)) for a, b, c in json.loads(text))

    links = {"node_modules": home / "node_modules"}
    yield from _recordings("tsc", version, found, command, forms, report, links)


_PYTHON_CODE = (
    "import os, sys\nfrom typing import *\n\n\ndef f(x: int) -> str:\n    y = 1\n    return undefined_name\n\n\n"
    "def g(): return f('a', 2)\nx: int = 'a'\nassert(1, 'a')\nif x == None: pass\n"
    "def long(a: int, b: 'dict[str, list[tuple[int, str, float]]]', c: str) -> 'dict[str, list[tuple[int, str, bytes]]]': return b\n"
    + "".join(f"s{n}: int = {said!r}\n" for n, said in enumerate(_SAID))
)
_PYTHON = {
    "names": {f"pkg/{name}.py": "import os\nx: int = undefined_name\n" for name in FILES},
    "sources": {"pkg/a.py": _PYTHON_CODE},
    "syntax": {"pkg/a.py": "def f(:\n    pass\n", "pkg/b c.py": _PYTHON_CODE, "pkg/d.py": "x = 'open\n"},
    "missing module": {"pkg/a.py": "import nothing_at_all\nfrom pkg.b import c\n"},
    "clean": {"pkg/a.py": "x = 1\n"},
}  # fmt: skip


def ruff(home: Path, version: str) -> Iterator[Recording]:
    """Run ruff; its report is its JSON."""
    numbers = tuple(map(int, version.split(".")[:2]))
    new, newest = numbers >= (0, 5), numbers >= (0, 12)
    none = "invalid-syntax" if newest else "SyntaxError" if new else "E999"
    command = (str(home / "bin/ruff"), "check", "--no-cache", "--select=E,F,W", "pkg")
    names = ("grouped", "pylint", "github") + (
        ("concise", "full") if new else ("text",) if version.startswith("0.1.") else ()
    )
    forms: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
        name: ((f"--output-format={name}",), {}) for name in names
    }
    forms |= {"default": ((), {}), "colour": ((), _COLOURS)}

    def report(folder: Folder, _: tuple[str, ...]) -> Told | None:
        text, _status = folder.run(*command, "--output-format=json", "--quiet")
        start = text.find("[")
        if start < 0:
            return None
        said: list[dict[str, Any]] = json.JSONDecoder().raw_decode(text[start:])[0]
        return _ids(
            (_shown(each["filename"]), each["location"]["row"], each["code"] or none)
            for each in said
        )

    found = [Project(kind, files) for kind, files in _PYTHON.items()]
    yield from _recordings("ruff", version, found, command, forms, report, {})


def flake8(home: Path, version: str) -> Iterator[Recording]:
    """Run flake8; its report is a form of output that is asked for, between tabs."""
    command = (str(home / "bin/flake8"), "pkg")
    forms: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
        "default": ((), {}),
        "pylint": (("--format=pylint",), {}),
        "source": (("--show-source",), {}),
        "statistics": (("--statistics", "--count"), {}),
    }
    if not version.startswith("3"):
        forms["colour"] = (("--color=always",), {})

    def report(folder: Folder, _: tuple[str, ...]) -> Told | None:
        text, _status = folder.run(*command, "--format=%(path)s\t%(row)d\t%(code)s")
        rows = [line.split("\t") for line in text.splitlines()]
        return _ids((_shown(row[0]), int(row[1]), row[2]) for row in rows if len(row) == 3)

    found = [Project(kind, files) for kind, files in _PYTHON.items()]
    yield from _recordings("flake8", version, found, command, forms, report, {})


def mypy(home: Path, version: str) -> Iterator[Recording]:
    """Run mypy; its report is its JSON, and before 1.11 its plainest lines."""
    has_json = tuple(map(int, version.split(".")[:2])) >= (1, 11)
    command = (
        str(home / "bin/mypy"),
        "--cache-dir=/dev/null",
        "--scripts-are-modules",
        "--namespace-packages",
    )
    plain = ("--show-error-codes", "--no-pretty", "--no-error-summary", "--no-color-output")
    line = re.compile(r"(?P<file>.+?):(?P<line>\d+): error: .*?  \[(?P<code>[a-z-]+)\]")
    forms: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
        "default": (("--show-error-codes",), {}),
        "pretty": (("--show-error-codes", "--pretty"), {"COLUMNS": "80"}),
        "columns": (("--show-error-codes", "--show-column-numbers"), {}),
        "colour": (("--show-error-codes", "--color-output"), {**_COLOURS, "TERM": "xterm"}),
    }

    def report(folder: Folder, options: tuple[str, ...]) -> Told | None:
        files = [word for word in options if not word.startswith("-")]
        if has_json:
            text, _ = folder.run(*command, *files, "-O", "json")
            rows = [json.loads(row) for row in text.splitlines() if row.startswith("{")]
            return _ids(
                (row["file"], row["line"], row["code"] or "error")
                for row in rows
                if row["severity"] == "error"
            )
        text, _ = folder.run(*command, *files, *plain)
        return _ids((m["file"], int(m["line"]), m["code"]) for m in line.finditer(text))

    found = [
        Project(kind, files, (*files,))
        for kind, files in {
            **_PYTHON,
            "names": {f"{name}.py": "x: int = 'a'\n" for name in ("plain", "deep/er", "naïve")},
        }.items()
        if kind != "syntax"
    ]
    found.append(Project("syntax", {"a.py": "def f(:\n    pass\n"}, ("a.py",)))
    found.append(
        Project(
            "twice",
            {"a/x.py": "y: int = ''\n", "b/x.py": "y = 1\n"},
            ("--no-namespace-packages", "a/x.py", "b/x.py"),
        )
    )
    yield from _recordings("mypy", version, found, command, forms, report, {})
