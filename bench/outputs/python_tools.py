"""pytest and unittest on small hard projects."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from bench.outputs.javascript import NAMES
from bench.outputs.recording import Folder, Project, Recording, Told, folders

_LOOKALIKES = (
    "FAILED tests/test_x.py::test_fake - boom", "ERROR tests/test_x.py::test_fake", "E   fake",
    "tests/test_x.py::test_fake PASSED", "= 3 failed, 2 passed in 0.01s =", "FAIL: test_fake (a.B)",
    "___________ test_fake ___________", "test_fake (a.B.test_fake) ... ok", "Ran 9 tests in 0.1s",
    "=========================== short test summary info ============================",
    "======================================================================", "not ok 3 - fake",
    "INTERNALERROR> fake", "--- FAIL: TestFake (0.00s)", "Fatal Python error: fake",
)  # fmt: skip


def _pytest_projects() -> Iterator[Project]:
    names = json.dumps([*NAMES, "a::b", "c[0]", "x]y", "new\nline", " - why", "] - a", ""])
    yield Project(
        "names",
        {
            "tests/test_n.py": "import pytest\n\n@pytest.mark.parametrize('v', NAMES)\ndef test_v(v):\n"
            "    assert not v\n\nclass TestC:\n    @pytest.mark.parametrize('v', NAMES)\n"
            "    def test_v(self, v):\n        assert v is None\n".replace("NAMES", names),
            "tests/with space/test_s.py": "def test_a(): assert 0\ndef test_b(): pass\n",
        },
    )
    outcomes = (
        "import pytest\n\ndef test_ok(): pass\ndef test_fails(): assert [1, 2] == [1, 3], 'not - equal'\n"
        "def test_raises(): raise ValueError('two\\nlines')\n"
        "@pytest.mark.skip(reason='later - on')\ndef test_skip(): pass\n"
        "@pytest.mark.xfail\ndef test_x(): assert 0\n@pytest.mark.xfail\ndef test_xp(): pass\n"
        "@pytest.mark.xfail(strict=True, reason='r')\ndef test_strict(): pass\n"
        "def test_in(): pytest.fail('said', pytrace=False)\ndef test_at_run(): pytest.skip('now')\n"
        "def test_bare(): assert False\n"
    )
    yield Project(
        "outcomes", {"tests/test_o.py": outcomes, "tests/test_p.py": "def test_ok(): pass\n"}
    )
    yield Project(
        "passing", {"tests/test_p.py": "def test_ok(): pass\ndef test_b(): print('x', end='')\n"}
    )
    fixtures = (
        "import pytest\n\n@pytest.fixture\ndef db():\n    raise RuntimeError('no db: a - b')\n"
        "@pytest.fixture\ndef late():\n    yield\n    raise RuntimeError('teardown broke')\n"
        "@pytest.fixture(scope='module')\ndef whole():\n    yield\n    raise OSError('end')\n"
        "def test_setup(db): pass\ndef test_teardown(late): pass\ndef test_both(late): assert 0\n"
        "class TestK:\n    def setup_method(self): raise KeyError('k')\n    def test_k(self): pass\n"
        "def test_missing(nothing): pass\ndef test_last(whole): pass\n"
    )
    yield Project("fixtures", {"tests/test_f.py": fixtures})
    yield Project(
        "import error",
        {
            "tests/test_i.py": "import nothing_at_all\n",
            "tests/test_j.py": "def test_a(): assert 0\n",
        },
    )
    yield Project(
        "syntax", {"tests/test_s.py": "def test_a(:\n", "tests/test_j.py": "def test_a(): pass\n"}
    )
    yield Project(
        "conftest",
        {"conftest.py": "import nothing_at_all\n", "tests/test_j.py": "def test_a(): pass\n"},
    )
    yield Project(
        "fixture not found by name",
        {"tests/test_m.py": "def test_m(a_b): pass\ndef test_n(): assert 1 == 2\n"},
    )
    said = json.dumps([*_LOOKALIKES])
    loud = (
        f"import sys, logging\nSAID = {said}\ndef test_fails():\n    print(*SAID, sep='\\n')\n"
        "    logging.warning('FAILED x::y - z')\n    assert 0\n"
        "def test_good():\n    print(*SAID, sep='\\n'); print('half', end='')\n"
        "def test_err():\n    print('half', end=''); print('more', end='', file=sys.stderr); assert 1 == 2\n"
        "def test_msg():\n    assert 0, '\\n'.join(SAID)\n"
    )
    yield Project("lookalikes", {"tests/test_l.py": loud})
    half = (
        "def test_a(): print('half a line', end='')\ndef test_b(): print('half', end=''); assert 0\n"
        "def test_c(): pass\ndef test_d():\n    print('x\\nhalf', end=''); assert 0\n"
    )
    yield Project("unfinished", {"tests/test_u.py": half})
    sub = "import unittest\nclass T(unittest.TestCase):\n    def test_s(self):\n        for i in range(3):\n            with self.subTest('m', i=i): self.assertNotEqual(i, 1)\n    @unittest.expectedFailure\n    def test_e(self): self.fail()\n    def setUp(self): pass\n    def test_z(self): self.assertEqual({'a': 1}, {'a': 2})\n"
    yield Project("unittest", {"tests/test_t.py": sub})
    yield Project("no tests", {"tests/test_none.py": "x = 1\n"})
    many = (
        "import pytest\n\n@pytest.mark.parametrize('n', range(60))\ndef test_n(n): assert n % 7\n"
    )
    yield Project("many", {"tests/test_m.py": many})
    chain = "def test_c():\n    try:\n        {}['k']\n    except KeyError as e:\n        raise ValueError('from') from e\n\ndef test_g():\n    raise ExceptionGroup('two', [ValueError(1), TypeError(2)])\n\ndef test_long():\n    assert 'a' * 300 == 'a' * 299 + 'b'\n\ndef test_ml():\n    assert 'a\\nb\\nc' == 'a\\nx\\nc'\n\ndef test_exit():\n    raise SystemExit(2)\n"
    yield Project("chained", {"tests/test_c.py": chain})
    yield Project(
        "doctest",
        {"mod.py": '"""M.\n\n>>> 1 + 1\n3\n"""\n', "tests/test_a.py": "def test_a(): pass\n"},
        ("--doctest-modules",),
    )
    yield Project("maxfail", {"tests/test_c.py": chain}, ("-x",))


_PYTEST_FORMS: dict[str, tuple[str, ...]] = {
    "default": (), "quiet": ("-q",), "verbose": ("-v",), "very verbose": ("-vv",), "no capture": ("-s",),
    "no capture, verbose": ("-s", "-v"), "tb short": ("--tb=short",), "tb native": ("--tb=native",), "tb line": ("--tb=line",),
    "tb no": ("--tb=no",), "colour": ("--color=yes", "-v"), "all": ("-rA",),
}  # fmt: skip
_IN_FEW_FORMS = {"7.4.4", "9.2.0"}


def pytest(home: Path, version: str) -> Iterator[Recording]:
    """Run pytest, with and without workers."""
    python = str(home / "bin/python")
    forms = _PYTEST_FORMS
    if version in _IN_FEW_FORMS:
        forms = {form: forms[form] for form in ("default", "no capture, verbose", "colour")}
    elif (home / "bin/py.test").exists() and any(home.glob("lib/*/site-packages/xdist")):
        forms = {"workers": ("-n", "2"), "workers, verbose": ("-n", "2", "-v")}
    for project, folder in folders(list(_pytest_projects()), {}):
        for form, options in forms.items():
            output, status = folder.run(
                python, "-m", "pytest", "-p", "no:cacheprovider", *options, *project.options,
                "--junitxml=report.xml", "-o", "junit_family=xunit1",
            )  # fmt: skip
            output = "".join(
                line
                for line in output.splitlines(keepends=True)
                if "generated xml file" not in line
            )
            told = _of_junit(folder)
            if told is not None:
                yield Recording("pytest", version, project.kind, form, output, status, told)


def _of_junit(folder: Folder) -> Told | None:
    text = folder.text("report.xml")
    (folder.path / "report.xml").unlink(missing_ok=True)
    try:
        root = ET.fromstring(text)
    except ET.ParseError:
        return None
    failing, passed, skipped = set[str](), set[str](), set[str]()
    for case in root.iter("testcase"):
        owner = case.get("classname")
        name = f"{owner}::{case.get('name')}" if owner else str(case.get("name"))
        kinds = {element.tag for element in case}
        target = (
            failing if kinds & {"failure", "error"} else skipped if "skipped" in kinds else passed
        )
        target.add(name)
    return Told(frozenset(failing), frozenset(passed - failing), frozenset(skipped))


_RUNNER = """\
import json, sys, unittest
told = {"failing": [], "passed": [], "skipped": []}
def name(test):
    owner = type(test).__module__ + "." + type(test).__qualname__
    if owner.startswith("unittest.loader._FailedTest"):
        return test._testMethodName
    if type(test).__name__ == "_ErrorHolder":
        kind, _, rest = test.description.partition(" (")
        return rest[:-1] + "." + kind
    return owner + "." + test._testMethodName
class Result(unittest.TextTestResult):
    def addSuccess(self, test): told["passed"].append(name(test)); super().addSuccess(test)
    def addError(self, test, err): told["failing"].append(name(test)); super().addError(test, err)
    def addFailure(self, test, err): told["failing"].append(name(test)); super().addFailure(test, err)
    def addSkip(self, test, why):
        told["skipped"].append(name(test)); super().addSkip(test, why)
    def addExpectedFailure(self, test, err): told["passed"].append(name(test)); super().addExpectedFailure(test, err)
    def addUnexpectedSuccess(self, test): told["failing"].append(name(test)); super().addUnexpectedSuccess(test)
    def addSubTest(self, test, subtest, err):
        if err is not None: told["failing"].append(name(test))
        super().addSubTest(test, subtest, err)
    def stopTestRun(self):
        with open("report.json", "w") as report: json.dump(told, report)
        super().stopTestRun()
class Runner(unittest.TextTestRunner):
    resultclass = Result
unittest.main(module=None, testRunner=Runner)
"""


def _unittest_projects() -> Iterator[Project]:
    head = "import unittest, sys\n"
    body = (
        "class T(unittest.TestCase):\n    def test_ok(self): pass\n"
        "    def test_doc(self):\n        'Says: what (it) does ... ok'\n        self.assertEqual('a\\nb', 'a\\nc')\n"
        "    def test_ok_doc(self):\n        'Adds (two) numbers.'\n"
        "    def test_err(self): raise TypeError('no: such\\n  thing')\n"
        "    @unittest.skip('later - (on) ... ok')\n    def test_skip(self): pass\n"
        "    @unittest.expectedFailure\n    def test_x(self): self.fail()\n"
        "    @unittest.expectedFailure\n    def test_xp(self): pass\n"
        "    def test_sub(self):\n        for i in range(3):\n            with self.subTest('a (b)', i=i, s='x y'): self.assertNotEqual(i, 1)\n"
        "    class Inner(unittest.TestCase):\n        def test_in(self): self.fail('in')\nInner = T.Inner\n"
    )
    yield Project(
        "outcomes",
        {
            "test_o.py": head + body,
            "test_p.py": head + "class P(unittest.TestCase):\n    def test_p(self): pass\n",
        },
    )
    yield Project(
        "passing",
        {
            "test_p.py": head
            + "class P(unittest.TestCase):\n    def test_p(self): print('half', end='')\n    @unittest.skip('s')\n    def test_q(self): pass\n"
        },
    )
    sets = (
        "class A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise RuntimeError('no db')\n    def test_a(self): pass\n"
        "class B(unittest.TestCase):\n    def setUp(self): raise RuntimeError('each')\n    def test_b(self): pass\n"
        "class C(unittest.TestCase):\n    def tearDown(self): raise RuntimeError('after')\n    def test_c(self): self.fail('first')\n    def test_d(self): pass\n"
        "class D(unittest.TestCase):\n    @classmethod\n    def tearDownClass(cls): raise RuntimeError('end')\n    def test_e(self): pass\n"
        "@unittest.skip('whole')\nclass E(unittest.TestCase):\n    def test_f(self): pass\n"
        "class F(unittest.TestCase):\n    def test_g(self): self.addCleanup(self.fail, 'cleanup')\n"
    )
    yield Project(
        "fixtures",
        {
            "test_f.py": head + sets,
            "test_m.py": head
            + "def setUpModule(): raise OSError('m')\nclass M(unittest.TestCase):\n    def test_m(self): pass\n",
        },
    )
    yield Project(
        "import error",
        {
            "test_i.py": "import nothing_at_all\n",
            "test_j.py": head + "class P(unittest.TestCase):\n    def test_p(self): pass\n",
        },
    )
    yield Project(
        "syntax",
        {
            "test_s.py": "def x(:\n",
            "test_j.py": head + "class P(unittest.TestCase):\n    def test_p(self): self.fail()\n",
        },
    )
    said = json.dumps([*_LOOKALIKES, "FAIL: test_fake (a.B.test_fake)", "-" * 70])
    loud = (
        f"SAID = {said}\nclass L(unittest.TestCase):\n    def test_a(self):\n        print(*SAID, sep='\\n', file=sys.stderr); print('half', end='', file=sys.stderr)\n"
        "    def test_b(self):\n        print('half a line', end='', file=sys.stderr); self.fail('\\n'.join(SAID))\n"
        "    def test_c(self): print('x\\nhalf', end='', file=sys.stderr)\n    @unittest.skip('s')\n    def test_d(self): pass\n"
    )
    yield Project("lookalikes", {"test_l.py": head + loud})
    half = (
        "class U(unittest.TestCase):\n    def test_a(self): print('half a line', end='', file=sys.stderr)\n"
        "    def test_b(self): sys.stderr.write('half'); self.fail('no')\n    def test_c(self): sys.stderr.write('one\\ntwo\\n')\n"
        "    def test_d(self): sys.stdout.write('out'); sys.stdout.flush()\n"
        "    def test_e(self):\n        'Has a line.'\n        sys.stderr.write('half'); self.skipTest('why')\n"
    )
    yield Project("unfinished", {"test_u.py": head + half})


def unittest(home: Path, version: str) -> Iterator[Recording]:
    """Run unittest of this Python; the report is what its result object was told."""
    forms = {"default": (), "verbose": ("-v",), "buffered": ("-b",), "locals": ("--locals", "-v")}
    for project, folder in folders(list(_unittest_projects()), {}):
        (folder.path / "run_them.py").write_text(_RUNNER)
        for form, options in forms.items():
            (folder.path / "report.json").unlink(missing_ok=True)
            output, status = folder.run(
                str(home / "bin/python"), "-u", "run_them.py", "discover", *options
            )
            if report := folder.text("report.json"):
                said = json.loads(report)
                failing = frozenset(said["failing"])
                told = Told(
                    failing, frozenset(said["passed"]) - failing, frozenset(said["skipped"])
                )
                yield Recording("unittest", version, project.kind, form, output, status, told)


THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
