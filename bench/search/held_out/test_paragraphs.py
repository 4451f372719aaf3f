import pytest
from paragraphs import camel, dedented, justified, shortened, snake, wrapped


def test_wrapped():
    assert wrapped("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrapped("the quick brown fox", 9) == ["the quick", "brown fox"]
    assert wrapped("the quick brown fox", 8) == ["the", "quick", "brown", "fox"]
    assert wrapped("a incomprehensible b", 5) == ["a", "incomprehensible", "b"]
    assert wrapped("", 5) == []


def test_justified():
    assert justified(["a", "b", "c"], 8) == "a   b  c"
    assert justified(["ab", "cd"], 6) == "ab  cd"
    assert justified(["ab"], 4) == "ab  "


def test_dedented():
    assert dedented("  a\n    b\n\n  c") == "a\n  b\n\nc"
    assert dedented("a\n  b") == "a\n  b"
    assert dedented("") == ""


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [("short", 10, "short"), ("hello big world", 12, "hello big..."), ("hello big world", 11, "hello..."), ("hello big world", 15, "hello big world"),
     ("hello big world", 14, "hello big..."), ("abcdefgh", 6, "abc...")],
)  # fmt: skip
def test_shortened(text, width, short):
    assert shortened(text, width) == short


@pytest.mark.parametrize(("one", "other"), [("some_name_here", "someNameHere"), ("x", "x"), ("a_b", "aB")])
def test_names(one, other):
    assert camel(one) == other
    assert snake(other) == one


def test_snake_of_a_class():
    assert snake("SomeName") == "some_name"
