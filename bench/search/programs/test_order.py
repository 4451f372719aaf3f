import pytest
from order import ordered


def test_none():
    assert ordered({}) == []


def test_chain():
    assert ordered({"c": ["b"], "b": ["a"]}) == ["a", "b", "c"]


def test_diamond():
    assert ordered({"d": ["b", "c"], "b": ["a"], "c": ["a"]}) == ["a", "b", "c", "d"]


def test_circle():
    with pytest.raises(ValueError, match="needs itself"):
        ordered({"a": ["b"], "b": ["a"]})
