from urls import joined, normal


def test_joined():
    assert joined("http://a.example/x/", "y") == "http://a.example/x/y"
    assert joined("http://a.example/x", "/y") == "http://a.example/y"


def test_joined_query():
    assert joined("http://a", "b", {"q": 1, "a": None, "c": "x"}) == "http://a/b?c=x&q=1"
    assert joined("http://a", "b?x=1", {"q": 1}) == "http://a/b?x=1&q=1"


def test_normal():
    assert normal("/a/./b/../c") == "/a/c"
    assert normal("../a/") == "/a/"
