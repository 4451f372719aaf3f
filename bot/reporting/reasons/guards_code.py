"""How a patch makes tests demand less, changes how they run, or looks for a way around them."""

from __future__ import annotations

from bot.reporting.example import example

_TEST = "test_shout"
_OLD = "assert shout('a') == 'A'"
_NEW = "assert shout('a')"


@example("tests/__snapshots__/app.snap")
def snapshot_changed(path: str) -> str:
    return f"The patch changes the snapshot {path}."


@example("tests/data/orders.csv")
def data_changed(path: str) -> str:
    return f"The patch changes {path}, which belongs to the tests."


@example(_TEST)
def test_removed(name: str) -> str:
    return f"The test {name} was removed or renamed."


@example(_TEST)
def asserts_nothing(name: str) -> str:
    return f"{name} asserts nothing."


@example(_TEST, "assert True")
def asserts_nothing_here(name: str, assertion: str) -> str:
    return f"{name} asserts nothing here: {assertion}"


@example("pytestmark = pytest.mark.skip")
def file_marked(code: str) -> str:
    return f"Every test in the file is marked: {code}"


@example("pytest.skip('later', allow_module_level=True)")
def file_skipped(code: str) -> str:
    return f"Every test in the file is skipped: {code}"


@example(_TEST, "@pytest.mark.skip")
def skipped(name: str, mark: str) -> str:
    return f"{name} is now skipped, expected to fail, or run alone: {mark}"


@example(_TEST)
def cut_short(name: str) -> str:
    return f"{name} returns before its assertions."


@example(_TEST, "'A'", "'B'")
def value_changed(name: str, before: str, after: str) -> str:
    return f"{name} uses another value: {before} became {after}."


@example(_TEST, _OLD)
def assertion_removed(name: str, assertion: str) -> str:
    return f"{name} no longer has the assertion: {assertion}"


@example(_OLD, _NEW)
def assertion_weakened(before: str, after: str) -> str:
    return f"An assertion was weakened: {before} became {after}."


@example(_OLD, "assert shout('a') == 'B'")
def expectation_changed(before: str, after: str) -> str:
    return f"The expected value changed: {before} became {after}."


@example("assert x == approx(1, abs=0.1)", "assert x == approx(1, abs=0.5)")
def tolerance_relaxed(before: str, after: str) -> str:
    return f"The tolerance or time limit was relaxed: {before} became {after}."


@example("sitecustomize.py")
def runs_at_startup(name: str) -> str:
    return f"{name} runs whenever Python starts."


@example("app.egg-info/entry_points.txt")
def package_registered(path: str) -> str:
    return f"{path} registers an installed package with Python, which can load plugins."


@example("pytest.py", "pytest")
def runner_shadowed(path: str, module: str) -> str:
    return f"{path} shadows the module {module}."


@example("src/random.py", "random")
def standard_module_shadowed(path: str, module: str) -> str:
    return f"{path} may shadow the standard library module {module}."


@example("pytest_plugins = ['quiet']")
def plugin_declared(line: str) -> str:
    return f"The patch declares a test runner plugin: {line}"


@example("pytest_runtest_makereport")
def hook_defined(name: str) -> str:
    return f"The hook {name} can change which tests run or what they report."


@example("os._exit(0)")
def process_ends(call: str) -> str:
    return f"The process ends here: {call}"


@example("conftest.py")
def setup_changed(file: str) -> str:
    return f"The patch changes {file}, which affects how the tests run."


@example("except Exception:")
def exception_swallowed(code: str) -> str:
    return f"Every exception is swallowed here: {code}"


@example("# noqa: E501")
def suppression_added(mark: str) -> str:
    return f"The patch adds a suppression: {mark}"
