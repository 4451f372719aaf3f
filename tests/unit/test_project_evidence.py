"""What a failing command shows of the project, by what it really starts and reads."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.model import Failure, Observation
from bot.repair.goal.environment import Surroundings
from bot.repair.reproduction.project_evidence import (
    Project,
    only_lacks_machine,
    without_evidence,
)
from bot.repair.workspace.observe import read
from bot.repair.workspace.programs import NOTHING_SEEN
from bot.reporting.reasons import job_target, outside_causes, reproduction
from sandbox.base import WORKSPACE, CommandResult
from tests.unit.test_command_files import traced

PYTHON = sys.executable
APP = {"app.py": "def f():\n    return 1\n", "package.json": "{}", "README.md": "# App\n"}


def seen(tmp_path: Path, files: Mapping[str, str], command: str) -> tuple[str, Observation]:
    """Run a command; return why it says nothing of the project, and what was observed."""
    trace, result = traced(tmp_path, files, command)
    tree = str(tmp_path / "tree")
    ran = CommandResult(result.returncode, result.stdout.replace(tree, WORKSPACE), 0, 0.1)
    programs = (
        replace(program, file=program.file.replace(tree, WORKSPACE)) for program in trace.programs
    )
    trace = replace(trace, programs=tuple(programs))
    observation = read(command, ran, ())
    return without_evidence(observation, trace, project(files)), observation


def project(files: Mapping[str, str]) -> Project:
    return Project(tuple(files), files.get)


def needs(program: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")


ABSENT = {
    "php": ({"Makefile": "t:\n\tphp vendor/bin/phpunit\n"}, "make t"),
    "a program of Composer": ({"Makefile": "t:\n\t./vendor/bin/phpunit\n"}, "make t"),
    "a program of npm": ({"Makefile": "t:\n\tnode_modules/.bin/jest --ci\n"}, "make t"),
    "three levels": (
        {"Makefile": "t:\n\t@sh ci/run.sh\n", "ci/run.sh": "set -e\ncd .\nnpx --no-install jest\n"},
        "make t",
    ),
    "scripts of npm": (
        {"package.json": '{"scripts": {"test": "npm run -s unit", "unit": "jest"}}'},
        "npm test",
    ),
    "npx in a script of npm": (
        {"package.json": '{"scripts": {"test": "npx --no-install mocha"}}'},
        "npm test",
    ),
    "a module of Python": ({"Makefile": f"t:\n\t{PYTHON} -m nose_of_old\n"}, "make t"),
    "a module, directly": ({}, f"{PYTHON} -m nose_of_old"),
    "a script that names no tool": (
        {"check.sh": 'if [ ! -d node_modules ]; then\necho "Dependencies are not there. Run npm ci first."; exit 3\nfi\n'},
        "sh check.sh",
    ),
    "a script that wants data": (
        {"check.sh": 'if [ ! -d corpora ]; then\necho "No corpora: download them with fetch.sh"; exit 3\nfi\n'},
        "sh check.sh",
    ),
    "npx, directly": ({}, "npx --no-install mocha"),
    "the wrapper's own program": (
        {
            "Makefile": "t:\n\t./gradlew test\n",
            "gradlew": '#!/bin/sh\nif [ -z "$NO_JAVA" ]; then\necho "ERROR: JAVA_HOME is not set" >&2\nexit 1\nfi\n',
            "build.gradle": "",
        },
        "chmod +x gradlew && make t",
    ),
    "a loader": ({"Makefile": "t:\n\tnode node_modules/mocha/bin/mocha.js\n"}, "make t"),
    "a script that asks": (
        {"test.sh": 'if [ ! -x vendor/bin/phpunit ]; then\necho "Run composer install first."; exit 1\nfi\n'},
        "sh test.sh",
    ),
    "after a step that passes": (
        {"gen.py": "open('out.txt', 'w').write('1')\n", "Makefile": f"t:\n\t{PYTHON} gen.py\n\t./vendor/bin/phpunit\n"},
        "make t",
    ),
    "a look at a file before": (
        {"run.sh": "grep -q nothing app.py || true\nexec frobnicate_tests\n", "Makefile": "t:\n\tsh run.sh\n"},
        "make t",
    ),
    "a package that is asked for": (
        {"Makefile": f"t:\n\t{PYTHON} tests/run.py\n", "tests/run.py": "import frobnicate_it\n", "requirements.txt": "frobnicate-it==1\n"},
        "make t",
    ),
    "a package of Node": (
        {"test/run.js": "const x = require('chai-of-old');\n", "package.json": '{"devDependencies": {"chai-of-old": "1"}}'},
        "node test/run.js",
    ),
    "an autoloader of PHP": (
        {"tests/run.php": "<?php\nrequire __DIR__ . '/../vendor/autoload.php';\n", "composer.json": "{}"},
        "php tests/run.php",
    ),
    "what was not built": ({"Makefile": "t:\n\tnode dist/test.js\n"}, "make t"),
    "an installed script": ({"Makefile": "t:\n\tsh vendor/tests/run.sh\n", "vendor/tests/a.sh": ""}, "make t"),
    "a module of Perl": (
        {"t/a.t": "use Frob::Nicate;\n", "cpanfile": "requires 'Frob::Nicate';\n"},
        "perl t/a.t",
    ),
}  # fmt: skip

REAL = {
    "a check by a text": ({"Makefile": "t:\n\tgrep -q '^# Ape' README.md\n"}, "make t"),
    "a manifest as a text": ({"Makefile": "t:\n\tgrep -q version package.json\n"}, "make t"),
    "a silent comparison": (
        {"Makefile": f"t:\n\ttest $$({PYTHON} -c 'import app; print(app.f())') = 2\n"},
        "make t",
    ),
    "a script in Python": (
        {"check.py": "import app, sys\nsys.exit(app.f() != 2)\n", "Makefile": f"t:\n\t{PYTHON} check.py\n"},
        "make t",
    ),
    "a script that speaks": (
        {"t.sh": f'[ "$({PYTHON} app.py)" = 2 ] || {{ echo "expected 2"; exit 1; }}\n'},
        "sh t.sh",
    ),
    "functions of the shell": (
        {"lib.sh": "add() { echo $(($1 - $2)); }\n", "t.sh": ". ./lib.sh\n[ $(add 1 2) = 3 ] || exit 1\n"},
        "sh t.sh",
    ),
    "a script by a wrong name": ({"Makefile": "t:\n\t@sh ci/rum.sh\n", "ci/run.sh": ":\n"}, "make t"),
    "one of Python": ({"Makefile": f"t:\n\t{PYTHON} -B tools/chek.py\n", "tools/check.py": ""}, "make t"),
    "one in a folder": ({"Makefile": "t:\n\tcd web && sh ./bin/tset.sh\n", "web/bin/test.sh": ":\n"}, "make t"),
    "one in a script": (
        {"run.sh": "exec sh ci/../ci/lint.bash\n", "ci/lint.sh": ":\n", "Makefile": "t:\n\tsh run.sh\n"},
        "make t",
    ),
    "one of Node": (
        {"package.json": '{"scripts": {"test": "node scripts/tset.js"}}', "scripts/test.js": ""},
        "npm test",
    ),
    "a verdict of make's own": (
        {"Makefile": "t:\n\t@echo 'FAIL: the license is missing'; exit 1\n"},
        "make t",
    ),
    "a script that only looks": (
        {"Makefile": "t:\n\tsh check.sh\n", "check.sh": '[ -f LICENSE ] || { echo "LICENSE: missing"; exit 1; }\n'},
        "make t",
    ),
    "several levels": (
        {"Makefile": "t:\n\tsh run.sh\n", "run.sh": "npm run -s unit\n",
         "package.json": '{"scripts": {"unit": "node test/a.js"}}',
         "test/a.js": "if (1 + 1 !== 3) process.exit(1);\n"},
        "make t",
    ),
    "a difference": (
        {"want": "2\n", "Makefile": "t:\n\tcat app.py | diff - want\n"},
        "make t",
    ),
    "an own module that is not there": (
        {"t.py": "import app.core\n", "app/__init__.py": "", "requirements.txt": "app\n"},
        f"{PYTHON} t.py",
    ),
    "a misspelt package": ({"t.py": "import jsonn\n", "requirements.txt": "requests\n"}, f"{PYTHON} t.py"),
    "a broken Makefile": ({"Makefile": "t:\n  echo a\n"}, "make t"),
    "a broken manifest": (
        {"package.json": "{", "t.sh": "node -e 'require(\"./package.json\")'\n"},
        "sh t.sh",
    ),
    "another target besides": (
        {"Makefile": f"t: a b\na:\n\t{PYTHON} app.py; test -d app.py\nb:\n\t./vendor/bin/phpunit\n"},
        "make -k t",
    ),
    "a crash": (
        {"Makefile": f"t:\n\t{PYTHON} crash.py\n", "crash.py": "import app, os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"},
        "make t",
    ),
    "a program that was built": (
        {"Makefile": "t:\n\t@mkdir -p target && cc -o target/t t.c && ./target/t\n", "t.c": "#include <stdlib.h>\nint main(void) { abort(); }\n"},
        "make t",
    ),
    "an attribute": (
        {"t.py": "import json\njson.frobnicate\n", "requirements.txt": "json\n"},
        f"{PYTHON} t.py",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", ABSENT)
def test_what_only_lacks_what_should_be_installed_shows_nothing(tmp_path: Path, case: str) -> None:
    """In whatever words it is told, and however deep."""
    files, command = ABSENT[case]
    for program in ("php", "perl", "npm", "node"):
        if f"{program} " in f"{command} {files.get('Makefile', '')}":
            needs(program)
    reason, observation = seen(tmp_path, {**APP, **files}, command)
    assert observation.exit_code
    assert reason, observation


@pytest.mark.slow
@pytest.mark.parametrize("case", REAL)
def test_a_check_of_the_project_is_evidence(tmp_path: Path, case: str) -> None:
    """However little it says."""
    files, command = REAL[case]
    for program in ("npm", "node", "cc"):
        if f"{program} " in f"{command} {' '.join(files.values())}":
            needs(program)
    reason, observation = seen(tmp_path, {**APP, **files}, command)
    assert observation.exit_code
    assert reason == "", observation


def test_where_nobody_can_watch_a_failure_counts() -> None:
    """Nothing shows that it lacks something."""
    unseen = read("make t", CommandResult(2, "make: *** [t] Error 2", 0, 0.1), ())
    assert without_evidence(unseen, NOTHING_SEEN, project(APP)) == ""


def test_the_sentence_shows_what_was_said() -> None:
    """The line that tells what to install."""
    said = "sh: 1: jest: not found"
    unseen = read("npm test", CommandResult(1, said, 0, 0.1), ())
    assert "jest" in reproduction.program_missing("npm test", unseen.failing[0].message)


_REFUSED = Failure(
    "t::a", "t.py", 3, "OSError: connect to http://localhost:8000/: Connection refused"
)
_UNRESOLVED = Failure("t::b", "t.py", 4, "socket.gaierror: [Errno -2] Name or service not known")
_RUNNING = Failure("t::c", "t.py", 5, job_target.TEST_DID_NOT_END)
_WRONG = Failure("t::d", "t.py", 6, "AssertionError: 3 != 4")


@pytest.mark.parametrize(
    ("failing", "causes"),
    [
        ((_REFUSED, _UNRESOLVED), [outside_causes.needs_service("store", "8000"), outside_causes.NEEDS_NETWORK]),
        ((_REFUSED, _RUNNING), [outside_causes.needs_service("store", "8000")]),
        ((_REFUSED, _WRONG), []),
        ((_RUNNING,), []),
    ],
)  # fmt: skip
def test_only_for_want_of_a_machine(failing: tuple[Failure, ...], causes: list[str]) -> None:
    """Each failing test lacks what no package and no patch brings; what only ran on adds nothing."""
    observation = Observation("pytest -q", 1, failing=failing)
    told = only_lacks_machine(
        observation, Surroundings({"app"}.__contains__, lambda: {"8000": "store"})
    )
    assert told == (
        reproduction.lacks_machine("pytest -q", dict.fromkeys(causes, 1)) if causes else ""
    )
