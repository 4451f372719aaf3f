import pytest
from cipher import caesar, is_palindrome, vigenere


@pytest.mark.parametrize(
    ("text", "shift", "moved"),
    [("abc", 1, "bcd"), ("xyz", 3, "abc"), ("Hello, World!", 5, "Mjqqt, Btwqi!"), ("b", -2, "z")],
)
def test_caesar(text, shift, moved):
    assert caesar(text, shift) == moved


def test_vigenere():
    assert vigenere("attackatdawn", "lemon") == "lxfopvefrnhr"
    assert vigenere("Attack at dawn!", "lemon") == "Lxfopv ef rnhr!"


def test_vigenere_one_letter():
    assert vigenere("abc", "b") == "bcd"


@pytest.mark.parametrize("text", ["Never odd or even", "A man, a plan, a canal: Panama", "", "12 21"])
def test_palindromes(text):
    assert is_palindrome(text)


@pytest.mark.parametrize("text", ["Hello", "ab", "1 2"])
def test_others(text):
    assert not is_palindrome(text)
