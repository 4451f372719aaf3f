from runs import decode, encode


def test_empty():
    assert encode("") == []


def test_one_run():
    assert encode("aaa") == [("a", 3)]


def test_many():
    assert encode("aabccc") == [("a", 2), ("b", 1), ("c", 3)]


def test_back():
    assert decode([("x", 2), ("y", 1)]) == "xxy"


def test_round_trip():
    assert decode(encode("mississippi")) == "mississippi"
