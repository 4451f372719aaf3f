"""Reports that commands write into the work tree by themselves: collected, and read with the console."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.ci.failure_identity import KnownFailures
from bot.ci.failures import registry
from bot.ci.failures.base import Reading
from bot.model import Observation, TestCounts
from bot.repair.workspace import written_reports
from bot.repair.workspace.observe import observe
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider

needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is missing")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is missing")

SECONDS = 600.0

SUREFIRE = """\
[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.152 s <<< FAILURE! -- in org.example.SumTest
[ERROR] org.example.SumTest.bad -- Time elapsed: 0.085 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
\tat org.example.SumTest.bad(SumTest.java:7)

[ERROR] org.example.SumTest.crash -- Time elapsed: 0.001 s <<< ERROR!
java.lang.IllegalStateException:\x20
no
place
\tat org.example.SumTest.crash(SumTest.java:8)

[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1
"""
"""Of `mvn -q test`, Surefire 3.2.5."""

CLASS = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite version="3.0" name="org.example.SumTest" tests="4" errors="1" skipped="1" failures="1">
  <testcase name="bad" classname="org.example.SumTest" time="0.085">
    <failure message="expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[\
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
\tat org.example.SumTest.bad(SumTest.java:7)
]]></failure>
  </testcase>
  <testcase name="good" classname="org.example.SumTest" time="0.002"/>
  <testcase name="crash" classname="org.example.SumTest" time="0.001">
    <error message="no&#10;place" type="java.lang.IllegalStateException"><![CDATA[\
java.lang.IllegalStateException:\x20
no
place
\tat org.example.SumTest.crash(SumTest.java:8)
]]></error>
  </testcase>
  <testcase name="later" classname="org.example.SumTest" time="0.0"><skipped message="later"/></testcase>
</testsuite>
"""
"""What the same run wrote, without its properties."""

GREEN = b'<testsuite name="org.example.SumTest"><testcase classname="org.example.SumTest" name="bad"/></testsuite>'
RED = (
    b'<testsuites><testsuite name="s"><testcase classname="shop" name="total">'
    b'<failure message="1 is not 2">at shop</failure></testcase>'
    b'<testcase classname="shop" name="name"/></testsuite></testsuites>'
)
NODE = """\
const test = require('node:test'); const assert = require('assert');
test('good', () => {}); test('bad', () => { assert.equal(1, 2); });
test('later', {todo: true}, () => { throw new Error('x'); }); test('left', {skip: true}, () => {});
"""
BOTH = (
    "node --test --test-reporter=junit --test-reporter-destination=r.xml"
    " --test-reporter=spec --test-reporter-destination=stdout"
)


def names(reading: Reading | Observation) -> list[str]:
    """The ids of what fails."""
    return [each.test for each in reading.failing]


def test_a_class_says_what_passed_and_was_skipped() -> None:
    """Surefire's console names neither; its report has the words of what was raised as well."""
    reading = registry.read(SUREFIRE, as_printed=(CLASS,))
    assert names(reading) == ["org.example.SumTest::bad", "org.example.SumTest::crash"]
    assert [each.message for each in reading.failing] == [
        "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
        "no",
    ]
    assert reading.passed == {"org.example.SumTest::good"}
    assert reading.skipped == {"org.example.SumTest::later"}
    assert reading.counts == TestCounts(1, 2, 1)


def test_a_failure_of_a_report_is_that_of_githubs_log() -> None:
    """The one is read from text, the other from a report."""
    known = KnownFailures(registry.read(SUREFIRE, as_printed=(CLASS,)).failing)
    log = registry.read(SUREFIRE)
    assert len(log.failing) == 2
    assert all(known.same(each, of_log=True) for each in log.failing)


def test_a_quiet_command_is_read_by_its_report_alone() -> None:
    """Gradle prints no test that could be named; the parts of its run are added up."""
    other = CLASS.replace(b"SumTest", b"TaxTest")
    reading = registry.read("There were failing tests.", as_printed=(CLASS, other))
    assert len(reading.failing) == 4
    assert reading.counts == TestCounts(2, 4, 2)


def test_a_class_that_cannot_be_set_up_is_named_once() -> None:
    """Surefire gives it a test without a name."""
    console = (
        "[ERROR] org.example.SumTest -- Time elapsed: 0.01 s <<< ERROR!\n"
        "java.lang.RuntimeException: no db\n\tat org.example.SumTest.all(SumTest.java:6)\n\n"
    )
    report = (
        b'<testsuite name="org.example.SumTest"><testcase name="" classname="org.example.SumTest">'
        b'<error message="no db" type="java.lang.RuntimeException">at all</error></testcase></testsuite>'
    )
    [found] = registry.read(console, as_printed=(report,)).failing
    assert (found.test, found.message) == (
        "org.example.SumTest",
        "java.lang.RuntimeException: no db",
    )


def test_a_report_takes_back_no_failure() -> None:
    """A command that fails keeps what its console names, whatever code under test wrote."""
    reading = registry.read(SUREFIRE, as_printed=(GREEN,))
    assert names(reading) == ["org.example.SumTest::bad", "org.example.SumTest::crash"]
    assert not reading.passed


def test_a_report_makes_no_command_fail_or_pass() -> None:
    """The exit status alone says which of the two it is."""
    assert not registry.read("", others=(RED,), failed=False).failing
    [found] = registry.read("fatal: no disk", others=(GREEN,), command="make").failing
    assert (found.test, found.message) == ("make", "fatal: no disk")


def test_other_names_are_not_mixed_with_those_of_a_console() -> None:
    """A report by any name may say the same in its own words, or be a file that tests try out."""
    assert len(registry.read(SUREFIRE, others=(RED,)).failing) == 2
    counts = "Tests run: 2, Failures: {}, Errors: 0, Skipped: 0\nfatal: no disk\n"
    passing = registry.read(counts.format(0), others=(RED,), command="make")
    assert names(passing) == ["make"]
    nameless = registry.read(counts.format(1), others=(RED,), command="make")
    assert (names(nameless), nameless.passed) == (["shop::total"], frozenset())


def test_a_report_that_was_asked_for_comes_first() -> None:
    """It lies where no patch can put it."""
    assert names(registry.read("", reports=(RED,), as_printed=(CLASS,))) == ["shop::total"]


def test_a_pack_is_sorted_by_how_its_reports_name_tests() -> None:
    """What isn't JUnit's is left out; pytest names tests as it prints them, whatever the file."""
    pytests = (Path(__file__).parent.parent / "payloads" / "junit" / "pytest.xml").read_bytes()
    files = {"report": pytests, "odd\nname": RED, "pom": b"<project/>", "wide": b"<\0a\0/\0>\0"}
    pack = b"".join(b"MARK./%s.xml\0%s" % (name.encode(), data) for name, data in files.items())
    found = written_reports.unpack(pack + b"MARK./cut", "MARK")
    assert found == written_reports.WrittenReports(as_printed=(pytests,), others=(RED,))


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    source = tmp_path / "source"
    source.mkdir()
    for name, data in {
        "class": CLASS,
        "red": RED,
        "old.xml": RED,
        "TEST-old.xml": CLASS,
        "a.test.js": NODE.encode(),
        "bomb": b'<!DOCTYPE a [<!ENTITY b "'
        + b"x" * 1000
        + b'">'
        + b"".join(
            b'<!ENTITY b%d "%s">' % (n, b"&b%s;" % (b"%d" % (n - 1) if n else b"") * 20)
            for n in range(9)
        )
        + b']><testsuite><testcase name="&b8;"><failure/></testcase></testsuite>',
    }.items():
        (source / name).write_bytes(data)
    provider = BubblewrapProvider(tmp_path / "sandboxes")
    sandbox = await provider.open(SandboxSpec(name="written", source=source))
    yield sandbox
    await sandbox.close()
    await provider.close()


@needs_bwrap
@needs_node
async def test_a_tool_that_writes_its_report_alone(sandbox: Sandbox) -> None:
    """Node's own reporter, and nothing on the console: todo tests may fail."""
    command = "node --test --test-reporter=junit --test-reporter-destination=r.xml"
    seen = await observe(sandbox, command, timeout=SECONDS)
    assert [(each.test, each.message) for each in seen.failing] == [("test::bad", "1 == 2")]
    assert seen.passed == {"test::good"}
    assert seen.skipped == {"test::later", "test::left"}
    assert not seen.ok
    both = await observe(sandbox, BOTH, timeout=SECONDS)
    assert names(both) == ["bad"]
    assert both.passed == {"good"}


@needs_bwrap
@pytest.mark.parametrize(
    "place",
    ["target/surefire-reports", "module/target/failsafe-reports", "app/build/test-results/test"],
)
async def test_reports_are_found_where_tools_put_them(sandbox: Sandbox, place: str) -> None:
    """In whatever folder: the file's name says that there is one for each class."""
    command = f"sleep 0.05; mkdir -p {place}; cp class {place}/TEST-org.example.SumTest.xml; exit 1"
    seen = await observe(sandbox, command, timeout=SECONDS)
    assert names(seen) == ["org.example.SumTest::bad", "org.example.SumTest::crash"]


@pytest.mark.slow
@needs_bwrap
@pytest.mark.parametrize(
    "trick",
    [
        "true",
        "touch -d 2001-01-01 old.xml",
        "cp -p old.xml again.xml",
        "ln -s old.xml link.xml",
        "ln -s ../../../../etc/passwd TEST-a.xml",
        "mkfifo TEST-a.xml",
        "mkdir TEST-a.xml",
        "mkdir /tmp/out; cp red /tmp/out/r.xml; ln -s /tmp/out out",
        "mkdir node_modules; cp red node_modules/r.xml",
        "{ cat red; truncate -s 5M /dev/stdout; } > big.xml",
        "head -c 100 red > half.xml",
        "cp red r.xml; chmod 0 r.xml",
        "cp bomb bomb.xml",
        "echo '<html/>' > page.xml",
        "cp red r.xml; rm -rf /tmp/fixpoint; mkfifo /tmp/fixpoint",
        "mkdir -p /tmp/fixpoint/written/a",
        "mkfifo /tmp/fixpoint/written",
        "truncate -s 90M /tmp/fixpoint/written; chmod 500 /tmp/fixpoint",
        "for n in $(seq 40); do { cat red; head -c 3M /dev/zero; } > $n.xml; done",
    ],
)
async def test_what_is_no_report_of_the_command_is_left_aside(sandbox: Sandbox, trick: str) -> None:
    """Old files, links, pipes, giants and bombs change nothing."""
    seen = await observe(
        sandbox, f"sleep 0.05; {trick}; echo 'fatal: no disk'; exit 3", timeout=SECONDS
    )
    assert seen.exit_code == 3
    assert [each.message for each in seen.failing] == ["fatal: no disk"]


@needs_bwrap
async def test_a_report_of_the_command_before_is_not_read_again(sandbox: Sandbox) -> None:
    """Neither is what it packed."""
    first = await observe(sandbox, "sleep 0.05; cp red r.xml; exit 1", timeout=SECONDS)
    assert names(first) == ["shop::total"]
    seen = await observe(sandbox, "echo 'fatal: no disk'; exit 1", timeout=SECONDS)
    assert [each.message for each in seen.failing] == ["fatal: no disk"]
