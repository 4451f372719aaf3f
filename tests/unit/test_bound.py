"""Where a bound on a package's versions is written."""

from __future__ import annotations

import pytest

from bot.repair.culprit.bound import bound_below, bounded, with_extra


@pytest.mark.parametrize(
    ("version", "bound"), [("2.0.0", "<2"), ("5.2.0", "<5.2"), ("1.4.3", "<1.4.3"), ("82.0", "<82")]
)
def test_a_bound_is_short(version: str, bound: str) -> None:
    """Zeros at the end say nothing."""
    assert bound_below(version) == bound


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("requirements.txt", "attrs\nlxml\n", "attrs\nlxml<5.2\n"),
        ("dev/requirements.in", "lxml >=4 # parser\n", "lxml >=4,<5.2 # parser\n"),
        (
            "requirements.txt",
            "LXML[html]; python_version > '3'\n",
            "LXML[html]<5.2; python_version > '3'\n",
        ),
        ("pyproject.toml", '  "lxml>=4.9.1",\n', '  "lxml>=4.9.1,<5.2",\n'),
        ("pyproject.toml", 'lxml = "^4.9"\n', 'lxml = "^4.9,<5.2"\n'),
        ("pyproject.toml", 'lxml = "*"\n', 'lxml = "<5.2"\n'),
        (
            "setup.py",
            "setup(install_requires=['lxml', 'six'])\n",
            "setup(install_requires=['lxml<5.2', 'six'])\n",
        ),
        (
            "setup.py",
            "'lxml>=3; python_version>=\"3\"'\n",
            "'lxml>=3,<5.2; python_version>=\"3\"'\n",
        ),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n  lxml\n",
            "[options]\ninstall_requires =\n  lxml<5.2\n",
        ),
        (
            "setup.cfg",
            "[options.extras_require]\nx =\n  lxml\n",
            "[options.extras_require]\nx =\n  lxml<5.2\n",
        ),
        (
            "tox.ini",
            "[testenv]\ndeps =\n  lxml\ncommands =\n  lxml\n",
            "[testenv]\ndeps =\n  lxml<5.2\ncommands =\n  lxml\n",
        ),
    ],
)
def test_a_bound_is_written_in_the_projects_style(path: str, before: str, after: str) -> None:
    """Beside what is written there already, marker and comment kept."""
    assert bounded({path: before}, "lxml", "<5.2") == {path: after}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "lxml==5.3\n"),
        ("requirements.txt", "lxml<6\nlxml-stubs\n"),
        ("setup.py", "    keywords=['lxml', 'html'],\n"),
        ("pyproject.toml", 'name = "lxml"\n'),
        ("setup.cfg", "[aliases]\ntest = lxml\n"),
    ],
)
def test_what_is_pinned_or_no_requirement_stays(path: str, text: str) -> None:
    """A pin says more than a bound; keywords and names require nothing."""
    assert bounded({path: text}, "lxml", "<5.2") == {}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("setup.py", "['Flask>=1', 'six']\n", "['Flask>=1', 'werkzeug<2.1', 'six']\n"),
        ("requirements.txt", "flask\nsix\n", "flask\nwerkzeug<2.1\nsix\n"),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n    Flask\n",
            "[options]\ninstall_requires =\n    Flask\n    werkzeug<2.1\n",
        ),
    ],
)
def test_what_comes_with_another_is_bounded_beside_it(path: str, before: str, after: str) -> None:
    """A package that nobody declares gets its bound next to the one that brings it."""
    assert bounded({path: before}, "werkzeug", "<2.1", ["jinja2", "flask"]) == {path: after}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("requirements.txt", "lxml>=4 # fast\n", "lxml[html_clean]>=4 # fast\n"),
        (
            "setup.py",
            'install_requires=["lxml", "six"]\n',
            'install_requires=["lxml[html_clean]", "six"]\n',
        ),
        ("requirements.txt", "lxml[cssselect]==5.2\n", "lxml[cssselect,html_clean]==5.2\n"),
        ("requirements.txt", "lxml[html_clean]\n", None),
        ("requirements.txt", "lxml-stubs\n", None),
    ],
)
def test_an_extra_is_asked_for_where_the_package_is_declared(
    path: str, before: str, after: str | None
) -> None:
    """Versions, comments and other extras stay."""
    assert with_extra({path: before}, "lxml", "html_clean") == (
        {} if after is None else {path: after}
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("^4.9.1", "^4.9.1 <5.2"),
        (">= 4.9", ">= 4.9 <5.2"),
        ("*", "<5.2"),
        ("^4 || ^5", "^4 <5.2 || ^5 <5.2"),
        ("5.x", "5.x <5.2"),
        ("5.2.1", "5.2.1"),
        (">=4 <6", ">=4 <6"),
        ("next", "next"),
        ("github:lxml/lxml#v5", "github:lxml/lxml#v5"),
        ("workspace:^5.0.0", "workspace:^5.0.0"),
    ],
)
def test_a_range_of_npm_gets_another_comparator(before: str, after: str) -> None:
    """What is pinned, bounded, a tag or an address stays; other packages too."""
    text = '{\n\t"dependencies": {"lxml": "%s", "lxml-more": "^1.0.0"}\n}\n'
    changed = {"package.json": text % after} if after != before else {}
    assert bounded({"package.json": text % before}, "lxml", "<5.2") == changed
