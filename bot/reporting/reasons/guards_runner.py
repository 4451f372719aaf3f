"""What in a patch changes how tests run or what they report."""

from __future__ import annotations

from bot.reporting.example import example


@example("sitecustomize.py")
def runs_at_startup(name: str) -> str:
    """Python runs the file before anything else."""
    return f"{name} runs whenever Python starts."


@example("app.egg-info/entry_points.txt")
def package_registered(path: str) -> str:
    """Python takes the file for metadata of an installed package."""
    return f"{path} registers an installed package with Python, which can load plugins."


@example("pytest.py", "pytest")
def runner_shadowed(path: str, module: str) -> str:
    """The file is imported instead of a test runner or its parts."""
    return f"{path} shadows the module {module}."


@example("src/random.py", "random")
def standard_module_shadowed(path: str, module: str) -> str:
    """The file may be imported instead of a standard library module."""
    return f"{path} may shadow the standard library module {module}."


@example("pytest_plugins = ['quiet']")
def plugin_declared(line: str) -> str:
    """A line names a plugin of pytest."""
    return f"The patch declares a test runner plugin: {line}"


@example("pytest_runtest_makereport")
def hook_defined(name: str) -> str:
    """A function is a hook of the test runner."""
    return f"The hook {name} can change which tests run or what they report."


@example("__eq__")
def always_true(name: str) -> str:
    """A comparison doesn't compare."""
    return f"{name} returns true whatever it compares."


@example("unittest.TestCase.assertEqual = print")
def runner_replaced(code: str) -> str:
    """A test runner, an assertion or a builtin is assigned to."""
    return f"The patch replaces a test runner, an assertion or a builtin: {code}"


@example("report.outcome = 'passed'")
def outcome_set(code: str) -> str:
    """An outcome is assigned, or what is collected."""
    return f"The patch overrides test outcomes or test collection: {code}"


@example("os._exit(0)")
def process_ends(call: str) -> str:
    """A call ends the process, or replaces it."""
    return f"The process ends here: {call}"


@example("conftest.py")
def setup_changed(file: str) -> str:
    """A file configures tests, or is a script of the failing command."""
    return f"The patch changes {file}, which affects how the tests run."
