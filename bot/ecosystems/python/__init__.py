"""Python: pip, uv, poetry, pdm, pipenv; pytest, unittest, Django, tox, nox."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, manager_by_file
from bot.ecosystems.python.detect import find, program_from_pypi
from bot.ecosystems.python.missing.modules import missing_modules, skipped_modules
from bot.ecosystems.python.missing.pytest_plugins import (
    missing_plugins,
    old_pytest,
    refused_plugins,
)
from bot.ecosystems.python.missing.setup import failed_build, failed_list, ungenerated_sources
from bot.ecosystems.python.missing.stub_packages import unbuilt
from bot.ecosystems.python.missing.versions import wrong_version
from bot.ecosystems.python.packages import has_own_tests, has_own_tests_inside, tested
from bot.ecosystems.python.products import stale_extensions
from bot.ecosystems.python.pytest_suite import whole_suite
from bot.ecosystems.python.select import RUNNERS, ids_of_modules
from bot.ecosystems.python.task_runners import PROGRAMS
from bot.ecosystems.python.versions import with_python_of

PYTHON = Ecosystem(
    name="python",
    sought="pytest, tox or nox configuration",
    detect=find,
    marks=("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements*.txt"),
    hosts=("pypi.org", "files.pythonhosted.org"),
    manager=manager_by_file(
        {
            "uv.lock": "uv",
            "poetry.lock": "poetry",
            "pdm.lock": "pdm",
            "Pipfile.lock": "pipenv",
            **dict.fromkeys(("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"), "pip"),
        },
        default="pip",
    ),
    toolchains={"uv": "uv"},
    install_program=program_from_pypi,
    has_own_tests=has_own_tests,
    packages=tested,
    is_package=has_own_tests_inside,
    looks=Looks(
        versions=(wrong_version,),
        setup=(ungenerated_sources, failed_build),
        tests=(old_pytest, refused_plugins, missing_plugins, missing_modules, skipped_modules),
        around=(unbuilt, failed_list),
    ),
    products=stale_extensions,
    with_toolchain_of=with_python_of,
    whole_suite=whole_suite,
    ids_of_files=ids_of_modules,
    runners=RUNNERS,
    programs=PROGRAMS,
)
