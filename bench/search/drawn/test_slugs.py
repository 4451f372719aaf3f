from slugs import slug, wrapped


def test_wrapped():
    assert wrapped("the quick brown fox", 9) == ["the quick", "brown fox"]


def test_wrapped_long():
    assert wrapped("an elephant", 4) == ["an", "elep", "hant"]
    assert wrapped("", 4) == []


def test_slug():
    assert slug("Hello, World!") == "hello-world"
    assert slug("One two three four five") == "one-two-three-four"
