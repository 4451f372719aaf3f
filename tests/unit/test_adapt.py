"""Programs are written for the newer version of a package."""

from __future__ import annotations

import pytest

from bot.model import Failure, Observation
from bot.model.culprit import ApiChange, ApiChangeKind
from bot.repair.proposers.adapt.edits import adaptations, adapted, also_caught
from bot.repair.proposers.adapt.proposer import raised

_GONE = ApiChange(ApiChangeKind.REMOVED, "web.security.same", instead=("hmac.compare_digest",))
_ELSEWHERE = ApiChange(ApiChangeKind.REMOVED, "web.old.thing", instead=("web.new.thing",))
_RENAMED = ApiChange(ApiChangeKind.REMOVED, "web.feel", instead=("web.mood",))
_LESS = ApiChange(ApiChangeKind.PARAMETER_REMOVED, "web.check", parameter="name", position=0)
_OTHER_NAME = ApiChange(
    ApiChangeKind.PARAMETER_RENAMED, "web.check", parameter="old", position=1, instead=("new",)
)
_KEYWORD = ApiChange(ApiChangeKind.KEYWORD_ONLY, "web.check", parameter="path", position=1)
_DEFAULT = ApiChange(ApiChangeKind.DEFAULT, "web.check", "True", "False", "strict", 2)
_METHOD = ApiChange(ApiChangeKind.BECAME_METHOD, "web.clock.Moment.timestamp")
_ATTRIBUTE = ApiChange(ApiChangeKind.BECAME_ATTRIBUTE, "web.clock.Moment.name")
_TEXT = ApiChange(ApiChangeKind.RETURNS, "web.encode", "bytes", "str", "decode")
_MEMBER = ApiChange(
    ApiChangeKind.PARAMETER_REMOVED, "web.test.Client.set", parameter="server", position=0
)


@pytest.mark.parametrize(
    ("changes", "before", "after"),
    [
        (
            [_GONE],
            "from web.security import same\n\nok = same(a, b)\n",
            "from hmac import compare_digest\n\nok = compare_digest(a, b)\n",
        ),
        (
            [_GONE],
            "from web.security import make, same as s\nok = s(a, b)\n",
            "from web.security import make\nfrom hmac import compare_digest as s\nok = s(a, b)\n",
        ),
        ([_RENAMED], "import web\nweb.feel(1)\n", "import web\nweb.mood(1)\n"),
        ([_RENAMED], "from web import feel, x\nfeel(1)\n", "from web import mood, x\nmood(1)\n"),
        (
            [_ELSEWHERE],
            "import web.old\nweb.old.thing()\n",
            "import web.old\nimport web.new\nweb.new.thing()\n",
        ),
        (
            [_LESS],
            "import web\nweb.check('x', v)\nweb.check(value=v, name='x')\n",
            "import web\nweb.check(v)\nweb.check(value=v)\n",
        ),
        ([_OTHER_NAME], "import web\nweb.check(1, old=2)\n", "import web\nweb.check(1, new=2)\n"),
        (
            [_KEYWORD, _DEFAULT],
            "import web\nweb.check(v, '/')\n",
            "import web\nweb.check(v, path='/', strict=True)\n",
        ),
        (
            [_METHOD],
            "a = now.timestamp\nb = now.timestamp()\n",
            "a = now.timestamp()\nb = now.timestamp()\n",
        ),
        ([_ATTRIBUTE], "a = day.name()\nb = day.name\n", "a = day.name\nb = day.name\n"),
        (
            [_TEXT],
            "import web\nt = web.encode(d).decode('utf-8')\n",
            "import web\nt = web.encode(d)\n",
        ),
        ([_MEMBER], "c.set(domain, 'key', 'v')\n", "c.set('key', 'v')\n"),
        ([_LESS], "import web\nweb.check(*both)\n", None),
        ([_GONE], "from web.security import other\n", None),
        ([_GONE], "def broken(:\n", None),
    ],
)
def test_one_difference_is_followed_wherever_the_name_is_used(
    changes: list[ApiChange], before: str, after: str | None
) -> None:
    """What else the program has stays byte by byte."""
    (way,) = adaptations(changes, 9)
    assert adapted("app.py", before, way, "web") == after


def test_each_name_that_may_take_the_place_is_a_way_of_its_own() -> None:
    """The likeliest is tried first; an extra is declared, not edited."""
    several = ApiChange(ApiChangeKind.REMOVED, "web.a", instead=("web.b", "os.c"))
    extra = ApiChange(ApiChangeKind.EXTRA, "web", parameter="fast")
    ways = adaptations([several, extra, _METHOD], 9)
    assert [way.instead for way in ways] == ["web.b", "os.c", ""]
    assert len(adaptations([several], 1)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import web\ntry:\n    web.check(v)\nexcept TypeError:\n    pass\n",
            "import web\ntry:\n    web.check(v)\nexcept (TypeError, web.CheckError):\n    pass\n",
        ),
        (
            "from web import check\ntry:\n    if check(v): x()\nexcept (A, B) as e:\n    pass\n",
            "from web import check, CheckError\ntry:\n    if check(v): x()\nexcept (A, B, CheckError) as e:\n    pass\n",
        ),
        (
            "from web.x import y\nfrom web import check, CheckError\ntry:\n    check(v)\nexcept A:\n    pass\n",
            "from web.x import y\nfrom web import check, CheckError\ntry:\n    check(v)\nexcept (A, CheckError):\n    pass\n",
        ),
        ("import web\ntry:\n    other(v)\nexcept TypeError:\n    web.check(v)\n", None),
        ("import web\ntry:\n    web.check(v)\nfinally:\n    pass\n", None),
        ("import web.old as w\ntry:\n    w.check(v)\nexcept A:\n    pass\n", None),
        ("try:\n", None),
    ],
)
def test_another_exception_of_a_package_is_handled_like_the_others(
    before: str, after: str | None
) -> None:
    """By the handler around its calls; what the program doesn't import from there stays."""
    assert also_caught("a.py", before, "web.CheckError") == after


def test_exceptions_are_those_of_the_package() -> None:
    """As it offers them, wherever it defines them."""
    failing = tuple(
        Failure(f"t.py::test_{n}", message=message)
        for n, message in enumerate(
            ("web._errors.CheckError: no", "web.CheckError", "TypeError: web.X", "webs.Other: no")
        )
    )
    assert raised(Observation("pytest", 1, failing), "web") == ("web.CheckError",)
