from trie import Trie, common

WORDS = ["car", "card", "care", "cat", "dog", "do"]


def test_contains():
    words = Trie(WORDS)
    assert all(word in words for word in WORDS)
    assert "ca" not in words
    assert "cards" not in words
    assert "" not in words


def test_beginning():
    words = Trie(WORDS)
    assert words.beginning("car") == ["car", "card", "care"]
    assert words.beginning("d") == ["do", "dog"]
    assert words.beginning("x") == []
    assert words.beginning("") == sorted(WORDS)


def test_longest():
    words = Trie(WORDS)
    assert words.longest("cards") == "card"
    assert words.longest("carp") == "car"
    assert words.longest("dot") == "do"
    assert words.longest("zoo") == ""


def test_common():
    assert common(["flower", "flow", "flight"]) == "fl"
    assert common(["same", "same"]) == "same"
    assert common(["a", "b"]) == ""
    assert common([]) == ""
