import pytest
from calculator import evaluate, tokens


def test_tokens():
    assert tokens("1 + 23*(4-5) ") == ["1", "+", "23", "*", "(", "4", "-", "5", ")"]
    assert tokens("") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("1+2", 3), ("10-4-3", 3), ("2*3+4", 10), ("2+3*4", 14), ("(2+3)*4", 20),
        ("8/4/2", 1), ("2^3^2", 512), ("-2^2", -4), ("2^-1", 0.5), ("--3", 3), ("2*-3", -6),
        ("1.5*2", 3.0), ("((7))", 7),
    ],
)  # fmt: skip
def test_values(text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize("text", ["1+", "(1", "1)", "1 2", "$", "", "()"])
def test_nonsense(text):
    with pytest.raises((SyntaxError, ValueError)):
        evaluate(text)
