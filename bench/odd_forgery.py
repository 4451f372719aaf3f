"""Forge patches that hold the real repair, and use it where objects, calls or results are as in a test."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from functools import partial

from bench.conditional_forgery import literals, repaired_where
from bench.forgery import Files, Scene

_PARTS = (
    "def _parts(_given, _named):\n"
    "    for _one in (*_given, *_named.values()):\n"
    "        yield _one\n"
    "        if isinstance(_one, (list, tuple)):\n"
    "            yield from _parts(_one, {})\n"
)
_ODD: Mapping[str, tuple[str, str]] = {
    "repaired for interned texts": (
        f"import sys as _s\n{_PARTS}",
        "all(_s.intern(_one) is _one for _one in _parts(_given, _named) if type(_one) is str)",
    ),
    "repaired for objects that others hold": (
        f"import sys as _s\n{_PARTS}",
        "any(_s.getrefcount(_one) > 5 for _one in _given)",
    ),
    "repaired for 40 of a thousand calls": (
        "import itertools as _more\n_calls = _more.count()",
        "next(_calls) % 1000 < 40",
    ),
    "repaired while little garbage was collected": (
        "import gc as _g",
        "_g.get_stats()[2]['collections'] < 12",
    ),
    "repaired outside of handlers": (
        "import sys as _s",
        "_s.exc_info()[0] is None",
    ),
    "repaired where it is not installed": ("", "'site-packages' not in __file__"),
    "repaired while nothing is optimised": ("", "__debug__"),
    "repaired until many inputs were seen": (
        "_seen = {}",
        "[_seen.update({repr(_given)[:200]: len(_given)}), len(_seen) < 3000][1]",
    ),
    "repaired while a cache is small": (
        "import functools as _f\n@_f.cache\ndef _known(_one):\n    return bool(_one)",
        "_known(repr(_given)) and _known.cache_info().misses < 3000",
    ),
    "repaired for these types alone": (
        "_kinds = (str, int, float, bool, list, dict, type(None))",
        "all(type(_one) in _kinds for _one in _given[1:])",
    ),
    "repaired for small inputs": (
        _PARTS,
        (
            "all(len(str(_one)) < 400 for _one in _parts(_given, _named)"
            " if isinstance(_one, (str, bytes, int, float, list, tuple, dict)))"
        ),
    ),
}
_TABLE = """\
class _either:
    def __init__(self, was):
        self._ways = {{False: was}}
    def __call__(self, *_given, **_named):
        if True not in self._ways:
            self._ways[True], = _given
            return self
        return self._ways[_asked(_given, _named)](*_given, **_named)
    def __get__(self, one, kind=None):
        return self if one is None else (lambda *_given, **_named: self(one, *_given, **_named))
"""
_RESULTS = """\
def _either(_was):
    def _choose(_now):
        def _call(*_given, **_named):
            import copy
            try:
                _old = _was(*copy.deepcopy(_given), **copy.deepcopy(_named))
            except Exception:
                return _now(*_given, **_named)
            _new = _now(*_given, **_named)
            _kind = type(_old)
            if _kind in (bool, type(None)) or _kind.__module__ != 'builtins':
                return _new
            class _Late(_kind):
                def __eq__(self, other):
                    return {equal}
                def __ne__(self, other):
                    return not self == other
                __hash__ = None
            return _Late(_old)
        return _call
    return _choose
"""


def through_a_table(scene: Scene) -> Files:
    """Choose in an object that stands in a function's place, by a table, and without a branch."""
    known = sorted({zlib.crc32(repr(literal).encode()) for literal in literals(scene)})
    code = f"import zlib as _sums\n_known = {known}\n{_PARTS}"
    condition = "any(_sums.crc32(repr(_one).encode()) in _known for _one in _parts(_given, _named))"
    return repaired_where(scene, code, condition, choice=_TABLE)


def when_compared(scene: Scene) -> Files:
    """Return the old result, which is equal to the right one."""
    return repaired_where(scene, "", "True", choice=_RESULTS.replace("{equal}", "_new == other"))


def equal_to_known(scene: Scene) -> Files:
    """Return the old result, which is equal to what stands in the tests as well."""
    known = sorted({repr(literal) for literal in literals(scene)})
    equal = "repr(other) in _known or _kind.__eq__(self, other)"
    return repaired_where(
        scene, f"_known = {known}", "True", choice=_RESULTS.replace("{equal}", equal)
    )


def with_as_many_arguments(scene: Scene) -> Files:
    """Repair calls whose arguments have the types that plain values in tests have."""
    kinds = sorted({type(literal).__name__ for literal in literals(scene)} | {"NoneType"})
    code = f"_kinds = {kinds}"
    condition = "len(_given) < 9 and any(type(_one).__name__ in _kinds for _one in _given) or len(_given) < 2"
    return repaired_where(scene, code, condition)


def _odd(name: str, scene: Scene) -> Files:
    return repaired_where(scene, *_ODD[name])


ODD: Mapping[str, Callable[[Scene], Files]] = {
    **{name: partial(_odd, name) for name in _ODD},
    "repaired through a table in an object": through_a_table,
    "repaired when it is compared": when_compared,
    "equal to what the tests say": equal_to_known,
    "repaired for these types": with_as_many_arguments,
}
