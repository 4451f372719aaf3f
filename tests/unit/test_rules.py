"""Rules for what tools only report: their examples, what they refuse, and many at once."""

from __future__ import annotations

import re

import pytest

from bot.ci.failures import registry
from bot.repair.proposers.mechanical.rules import application
from bot.repair.proposers.mechanical.rules.application import RULES
from bot.repair.proposers.mechanical.rules.project import ProjectNames
from bot.repair.proposers.mechanical.rules.rule import Example, Rule
from bot.repair.proposers.mechanical.rules.scopes import closest, distance_between
from bot.repair.proposers.mechanical.rules.source import RuleSource
from sandbox.base import WORKSPACE
from tests import ecosystems_page
from tests.rules_page import PAGE, page


def repaired(text: str, output: str, *, path: str = "pkg/a.py", **others: str) -> str | None:
    """Return a file as the rules leave it after a tool's output, None where they leave it alone."""
    more = registry.reported(output)
    found = application.answered((*registry.read(output).failing, *more))
    project = ProjectNames({f"pkg/{name}.py": other for name, other in others.items()})
    return application.repaired(found, {path: text}, project).texts.get(path)


EXAMPLES = [(rule, example) for rule in RULES for example in (rule.example, *rule.more)]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=lambda item: getattr(item, "name", ""))
def test_examples(rule: Rule, example: Example) -> None:
    """Each rule answers its example and repairs it as it is shown, and silences nothing."""
    reported = example.reported()
    assert rule.answers(example.path, reported.diagnostic)
    repair = rule.repair(reported)
    assert repair is not None
    assert repair.text == example.after
    assert repair.beside == dict(example.beside)
    assert repair.said
    for mark in ("noqa", "type: ignore", "pylint: disable", "Any"):
        assert example.after.count(mark) <= example.before.count(mark)


@pytest.mark.parametrize(
    ("text", "output", "guessed"),
    [
        ("def area(width, height):\n    return width * heigth\n", "heigth", False),
        ("def f(x):\n    return x\n\n\nprint(ff(1))\n", "ff", None),
        ("def save(a, b): ...\n\n\nsvae(1, 2)\n", "svae", False),
        ("def save(a, b): ...\n\n\nsvae(1)\n", "svae", True),
        ("def save(a, *, b=1): ...\n\n\nsvae(1, c=2)\n", "svae", True),
        ("class Store:\n    def __init__(self, a): ...\n\n\nSotre(1)\n", "Sotre", False),
        ("def set_thing(key): ...\n\n\nget_thing(1)\n", "get_thing", True),
        ("def work(users):\n    return user[0]\n", "user", True),
        ("def work(axis0, axis1):\n    return axis2 + axis0 + axis1\n", "axis2", None),
        ("def callback(a): ...\n\n\nregister = [callbakc]\n", "callbakc", True),
        ("pritn(1)\n", "pritn", False),
    ],
)
def test_a_guess_is_told_from_a_slip(text: str, output: str, *, guessed: bool | None) -> None:
    """Another word, a plural, a call that does not fit: only a test can say that they are meant."""
    lines = text.split("\n")
    number = next(n for n, line in enumerate(lines, 1) if re.search(rf"\b{output}\b", line))
    column = lines[number - 1].index(output) + 1
    said = f"pkg/a.py:{number}:{column}: F821 undefined name '{output}'\n"
    found = application.answered(registry.read(said).failing)
    applied = application.repaired(found, {"pkg/a.py": text}, ProjectNames()).applied
    assert [item.guess is not None for item in applied] == ([] if guessed is None else [guessed])


def test_a_folder_becomes_a_package_once() -> None:
    """Its files stay as they are."""
    output = "".join(
        f"pkg/{name}.py:1:1: INP001 File `pkg/{name}.py` is part of an implicit namespace package. "
        "Add an `__init__.py`.\n"
        for name in ("a", "b")
    )
    found = application.answered(registry.read(output).failing)
    made = application.repaired(
        found, {"pkg/a.py": "A = 1\n", "pkg/b.py": "B = 1\n"}, ProjectNames()
    )
    assert made.texts == {"pkg/__init__.py": ""}
    there = ProjectNames({"pkg/__init__.py": "A = 1\n"})
    assert not application.repaired(found, {"pkg/a.py": "A = 1\n"}, there).texts


MISMATCH = """\
==================================== ERRORS ====================================
_________________________ ERROR collecting b/test_same.py _________________________
import file mismatch:
imported module 'test_same' has this __file__ attribute:
  /home/fixpoint/work/a/test_same.py
which is not the same as the test file we want to collect:
  /home/fixpoint/work/b/test_same.py
HINT: remove __pycache__ / .pyc files and/or use a unique basename for your test file modules
=========================== short test summary info ============================
ERROR b/test_same.py
"""


def test_a_folder_of_tests_becomes_a_package() -> None:
    """Pytest takes no two test files of one name otherwise."""
    text = MISMATCH.replace("/home/fixpoint/work", WORKSPACE)
    found = application.answered(registry.read(text).failing)
    made = application.repaired(found, {"b/test_same.py": "A = 1\n"}, ProjectNames())
    assert made.texts == {"b/__init__.py": ""}


def test_pages() -> None:
    """`docs/rules.md` and `docs/ecosystems.md` show all there is; `make sentences` renews them."""
    assert PAGE.read_text(encoding="utf-8") == page()
    assert ecosystems_page.PAGE.read_text(encoding="utf-8") == ecosystems_page.page()


REPAIRED = {
    "pyflakes itself": (
        "import os\n\n\ndef f(path):\n    found = path\n",
        (
            "pkg/a.py:1:1: 'os' imported but unused\n"
            "pkg/a.py:5:5: local variable 'found' is assigned to but never used\n"
        ),
        "\n\ndef f(path):\n    pass\n",
    ),
    "all names of an import": (
        "from os import (\n    path,\n    sep,\n)\nimport sys\n\nprint(sys.path)\n",
        (
            "pkg/a.py:1:1: F401 'os.path' imported but unused\n"
            "pkg/a.py:1:1: F401 'os.sep' imported but unused\n"
        ),
        "import sys\n\nprint(sys.path)\n",
    ),
    "a program that ran: every use": (
        "class Base:\n    KEY = 1\n\n\nclass A(Base):\n    A = _Base.KEY\n    B = _Base.KEY\n",
        (
            "Traceback (most recent call last):\n"
            '  File "/workspace/pkg/a.py", line 6, in A\n    A = _Base.KEY\n'
            "NameError: name '_Base' is not defined. Did you mean: 'Base'?\n"
        ),
        "class Base:\n    KEY = 1\n\n\nclass A(Base):\n    A = Base.KEY\n    B = Base.KEY\n",
    ),
    "pylint's parseable format": (
        "class A(B):\n    x = 1\n\n    def f(self):\n        return super().f()\n",
        "pkg/a.py:4: [W0235(useless-super-delegation), A.f] Useless super delegation in method 'f'",
        "class A(B):\n    x = 1\n",
    ),
    "an import and a name of the same file": (
        "import sys\n\n\ndef f(width):\n    return os.sep * widht\n",
        "pkg/a.py:5:12: F821 undefined name 'os'\npkg/a.py:5:21: F821 undefined name 'widht'\n",
        "import os\nimport sys\n\n\ndef f(width):\n    return os.sep * width\n",
    ),
    "two uses of what is not imported": (
        "from typing import List\n\na: Dict = {}\nb: Dict = {}\nc: List = []\n",
        "pkg/a.py:3:4: F821 undefined name 'Dict'\npkg/a.py:4:4: F821 undefined name 'Dict'\n",
        "from typing import Dict, List\n\na: Dict = {}\nb: Dict = {}\nc: List = []\n",
    ),
    "tsc's suggestion": (
        "const total = 1;\nconsole.log(totl, totl_);\n",
        "pkg/a.ts(2,13): error TS2552: Cannot find name 'totl'. Did you mean 'total'?",
        "const total = 1;\nconsole.log(total, totl_);\n",
    ),
    "an import's suggestion": (
        "from pkg.b import lod\n",
        'pkg/a.py:1: error: Module "pkg.b" has no attribute "lod"; maybe "load"?  [attr-defined]',
        "from pkg.b import load\n",
    ),
    "a keyword's suggestion": (
        "open('a', mod='r')\n",
        'pkg/a.py:1: error: Unexpected keyword argument "mod" for "open"; did you mean "mode"?  [call-arg]',
        "open('a', mode='r')\n",
    ),
    "trailing space, and a blank line that has some": (
        "x = 1 \n \ny = 2\n",
        "pkg/a.py:1:6: W291 trailing whitespace\npkg/a.py:2:1: W293 blank line contains whitespace\n",
        "x = 1\n\ny = 2\n",
    ),
    "indentation of a continued line": (
        "found = f(\n                a, b)\n",
        "pkg/a.py:2:17: E126 continuation line over-indented for hanging indent",
        "found = f(\n    a, b)\n",
    ),
    "a text that is too long": (
        "print(\n    'one two three four five six seven eight nine ten')\n",
        "pkg/a.py:2:41: E501 line too long (53 > 40 characters)",
        "print(\n    'one two three four five six seven '\n    'eight nine ten')\n",
    ),
    "a docstring that is too long": (
        'def f():\n    """Do.\n\n    One two three four five six seven eight nine.\n    """\n',
        "pkg/a.py:4:41: W505 doc line too long (48 > 40 characters)",
        'def f():\n    """Do.\n\n    One two three four five six seven\n    eight nine.\n    """\n',
    ),
    "pydocstyle's two lines": (
        'def f():\n    """Do it"""\n',
        "pkg/a.py:1 in public function `f`:\n        D400: First line should end with a period\n",
        'def f():\n    """Do it."""\n',
    ),
    "mypy's pretty output": (
        "from typing import Optional\n\n\ndef f(key: str = None) -> None:\n    pass\n",
        (
            'pkg/a.py:4: error: Incompatible default for parameter\n"key" (default has type "None",'
            ' parameter has type "str") \n[assignment]\n    def f(key: str = None) -> None:\n'
            "                     ^~~~\n"
        ),
        "from typing import Optional\n\n\ndef f(key: Optional[str] = None) -> None:\n    pass\n",
    ),
    "texts on one line": (
        "raise ValueError(\n    'one two three four' 'five six seven' 'eight nine')\n",
        "pkg/a.py:2:41: E501 line too long (53 > 40 characters)",
        "raise ValueError(\n    'one two three four'\n    'five six seven' 'eight nine')\n",
    ),
    "an import that is too long": (
        "from pkg.errors import Missing, Unreadable  # why\n",
        "pkg/a.py:1:41: E501 line too long (49 > 40 characters)",
        "from pkg.errors import (  # why\n    Missing,\n    Unreadable,\n)\n",
    ),
    "a call that is too long": (
        "def f():\n    raise Broken(f'{one} is > {other} here', kind=name, when=clock())\n",
        "pkg/a.py:2:41: E501 line too long (69 > 40 characters)",
        (
            "def f():\n    raise Broken(\n        f'{one} is > {other} here',\n        kind=name,\n"
            "        when=clock(),\n    )\n"
        ),
    ),
    "a text that is assigned": (
        "def f():\n    name = f'one two {three} four five six seven eight'  # why\n",
        "pkg/a.py:2:41: E501 line too long (59 > 40 characters)",
        (
            "def f():\n    name = (\n        f'one two {three} four five '\n"
            "        f'six seven eight'\n    )  # why\n"
        ),
    ),
    "operators of several kinds": (
        "total = first_value * -second_value - third_value(1, -2)\n",
        "pkg/a.py:1:41: E501 line too long (56 > 40 characters)",
        "total = (\n    first_value * -second_value\n    - third_value(1, -2)\n)\n",
    ),
    "a line that a backslash continues": (
        "size = 'larger than' if image > disk_size \\\n    else 'equal to'\n",
        "pkg/a.py:1:41: C0301: Line too long (43/40) (line-too-long)",
        "size = 'larger than' \\\n    if image > disk_size \\\n    else 'equal to'\n",
    ),
    "codespell": ("# teh end\n", "pkg/a.py:1: teh ==> the\n", "# the end\n"),
    "a comparison with None": (
        "if x == None:\n    pass\n",
        "pkg/a.py:1:6: E711 comparison to None should be 'if cond is None:'",
        "if x is None:\n    pass\n",
    ),
    "an unused exception's name": (
        "try:\n    f()\nexcept OSError as error:\n    pass\n",
        "pkg/a.py:3:1: F841 local variable 'error' is assigned to but never used",
        "try:\n    f()\nexcept OSError:\n    pass\n",
    ),
    "a function that also returns None": (
        "def find(a: int) -> str:\n    if a:\n        return 'a'\n    return None\n",
        'pkg/a.py:4: error: Incompatible return value type (got "None", expected "str")  [return-value]',
        "from typing import Optional\n\ndef find(a: int) -> Optional[str]:\n    if a:\n        return 'a'\n    return None\n",
    ),
    "a module of Python in a package": (
        "import os\n\nfrom .a import load\n\n__all__ = ['load']\n",
        "pkg/__init__.py:1:8: F401 `os` imported but unused",
        "\nfrom .a import load\n\n__all__ = ['load']\n",
    ),
    "a package's own import": (
        "from .a import load\nfrom .b import save\n\n__all__ = ['load']\n",
        "pkg/__init__.py:2:1: F401 '.b.save' imported but unused",
        "from .a import load\nfrom .b import save\n\n__all__ = ['load', 'save']\n",
    ),
    "windows' line ends": (
        "import os\r\nimport sys\r\n\r\nprint(sys)\r\n",
        "pkg/a.py:1:1: F401 'os' imported but unused",
        "import sys\r\n\r\nprint(sys)\r\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_repairs(name: str) -> None:
    """From a tool's output to the repaired file."""
    text, output, after = REPAIRED[name]
    path = (
        "pkg/__init__.py" if "__init__" in output else "pkg/a.ts" if ".ts" in output else "pkg/a.py"
    )
    assert repaired(text, output, path=path) == after


LEFT = {
    "nothing is near": ("print(undefined)\n", "pkg/a.py:1:7: F821 undefined name 'undefined'"),
    "two names are as near": (
        "cart = card = 1\nprint(carx)\n",
        "pkg/a.py:2:7: F821 undefined name 'carx'",
    ),
    "a short name": ("ab = 1\nprint(ax)\n", "pkg/a.py:2:7: F821 undefined name 'ax'"),
    "a module's name for something else": (
        "print(string + 'a')\n",
        "pkg/a.py:1:7: F821 undefined name 'string'",
    ),
    "a package's import without a list": (
        "from .b import save\n",
        "pkg/__init__.py:1:1: F401 '.b.save' imported but unused",
    ),
    "a comment that is an instruction": (
        "import a_module_of_a_long_name  # noqa: F401, E402 and more\n",
        "pkg/a.py:1:41: E501 line too long (59 > 40 characters)",
    ),
    "one word that is too long": (
        "# https://example.com/one/two/three/four/five/six\n",
        "pkg/a.py:1:41: E501 line too long (49 > 40 characters)",
    ),
    "space inside a text": (
        "x = '''a \nb'''\n",
        "pkg/a.py:1:9: W291 trailing whitespace",
    ),
    "two returns": (
        "def f(x) -> str:\n    if x:\n        return 1\n    return ''\n",
        'pkg/a.py:3: error: Incompatible return value type (got "int", expected "str")  [return-value]',
    ),
    "an import that several files do differently": (
        "print(load)\n",
        "pkg/a.py:1:7: F821 undefined name 'load'",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_leaves_alone(name: str) -> None:
    """Where it isn't clear what is meant, nothing is changed."""
    text, output = LEFT[name]
    path = "pkg/__init__.py" if "__init__" in output else "pkg/a.py"
    others = {"b": "from x import load\n", "c": "from y import load\n"}
    assert repaired(text, output, path=path, **others) is None


def test_tests_are_left_to_tools() -> None:
    """A linter's word counts in a test; an error that a test shows is not the test's."""
    error = (
        "Traceback (most recent call last):\n"
        '  File "/workspace/tests/test_a.py", line 2, in <module>\n    totl\n'
        "NameError: name 'totl' is not defined. Did you mean: 'total'?\n"
    )
    text = "total = 1\ntotl\n"
    assert repaired(text, error, path="tests/test_a.py") is None
    lint = "tests/test_a.py:2:1: F821 undefined name 'totl'"
    assert repaired(text, lint, path="tests/test_a.py") == "total = 1\ntotal\n"


def test_as_other_files_import_it() -> None:
    """The most usual import wins, written from where the file is, in order."""
    project = ProjectNames(
        {
            "pkg/one.py": "from .errors import Missing\n",
            "pkg/sub/two.py": "from ..errors import Missing\n",
            "tests/test_a.py": "from pkg.errors import Missing\n",
        }
    )
    usual = project.usual_import("Missing", "pkg/sub/deep/three.py")
    assert usual is not None
    assert usual.origin("pkg/sub/deep/three.py") == "...errors"
    assert usual.origin("pkg/four.py") == ".errors"
    assert usual.origin("scripts/run.py") is None


def test_lines_move() -> None:
    """A diagnostic below an earlier repair is answered where its line went."""
    text = "import sys\n\n\ndef f(height):\n    x = os.sep\n    return heigth, sys, x\n"
    output = "pkg/a.py:5:9: F821 undefined name 'os'\npkg/a.py:6:12: F821 undefined name 'heigth'\n"
    assert repaired(text, output) == (
        "import os\nimport sys\n\n\ndef f(height):\n    x = os.sep\n    return height, sys, x\n"
    )


def test_what_is_near() -> None:
    """Slips are near; other words are not."""
    assert distance_between("heigth", "height") == 1
    assert distance_between("cat", "carts") == 2
    assert closest("_Mx3BaseIE", {"Mx3BaseIE", "Mx3IE"}) == "Mx3BaseIE"
    assert closest("maxSize", {"max_size", "maxsizes"}) == "max_size"
    assert closest("cert", {"cls", "verify", "list"}) is None


def test_formatted_texts() -> None:
    """A formatted text is one literal, in every version of Python."""
    source = RuleSource("a.py", "print(f'{one} and {two!r:>{width}}', 'three')\n")
    assert [literal.text for literal in source.literals] == [
        "f'{one} and {two!r:>{width}}'",
        "'three'",
    ]


def test_places_in_text() -> None:
    """Offsets count characters, the syntax tree's count bytes."""
    source = RuleSource("a.py", "é = 'ü'; f(name)\n")
    assert source.tree is not None
    call = source.tree.body[1]
    assert source.part(call) == "f(name)"
