import pytest

from alignment import (
    anagrams,
    edit_distance,
    failures,
    longest_common,
    longest_palindrome,
    matches,
    occurrences,
    rotated,
)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("kitten", "sitting", 3),
        ("", "abc", 3),
        ("abc", "", 3),
        ("same", "same", 0),
        ("ab", "ba", 2),
    ],
)
def test_distance(one, other, distance):
    assert edit_distance(one, other) == distance


def test_longest_common():
    assert longest_common("xabcy", "zabcw") == "abc"
    assert longest_common("abcd", "cdab") == "ab"
    assert longest_common("abc", "xyz") == ""
    assert longest_common("banana", "nana") == "nana"


def test_longest_palindrome():
    assert longest_palindrome("babad") == "bab"
    assert longest_palindrome("cbbd") == "bb"
    assert longest_palindrome("a") == "a"
    assert longest_palindrome("") == ""
    assert longest_palindrome("abcba") == "abcba"


def test_failures():
    assert failures("ababaca") == [0, 0, 1, 2, 3, 0, 1]
    assert failures("aabaaab") == [0, 1, 0, 1, 2, 2, 3]
    assert failures("") == []


def test_occurrences():
    assert occurrences("aba", "ababa") == [0, 2]
    assert occurrences("aa", "aaaa") == [0, 1, 2]
    assert occurrences("x", "abc") == []
    assert occurrences("", "abc") == []


def test_anagrams():
    assert anagrams(["tea", "Eat", "bat", "ate"]) == [["tea", "Eat", "ate"]]
    assert anagrams(["ab", "cd", "dc", "ba"]) == [["ab", "ba"], ["cd", "dc"]]
    assert anagrams([]) == []


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("*", "", True),
        ("a*", "abc", True),
        ("*c", "abc", True),
        ("a*d", "abc", False),
        ("", "", True),
        ("", "a", False),
        ("a", "", False),
        ("**", "ab", True),
    ],
)
def test_matches(pattern, text, fits):
    assert matches(pattern, text) is fits


def test_rotated():
    assert rotated("abcd", "cdab")
    assert not rotated("abcd", "dcba")
    assert not rotated("abc", "ab")
