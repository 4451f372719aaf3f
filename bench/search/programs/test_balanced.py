import pytest
from balanced import balanced


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", True), ("()", True), ("([]{})", True), ("(", False), (")", False), ("(]", False), ("a(b)c", True), ("())", False), ("{[}]", False), ("((x)", False)],
)
def test_balanced(text, expected):
    assert balanced(text) is expected
