from changes import applied, difference, history


def test_difference():
    assert difference({"a": 1, "b": 2, "c": 3}, {"b": 2, "c": 4, "d": 5}) == (["d"], ["a"], ["c"])


def test_applied():
    assert applied(list("abcd"), [(3, 1, []), (1, 1, ["x", "y"])]) == ["a", "x", "y", "c"]
    lines = ["a"]
    assert applied(lines, [(1, 0, ["b"])]) == ["a", "b"]
    assert lines == ["a"]


def test_history():
    assert history([("a", 1), ("b", 9), ("a", 1), ("a", 2), ("a", 1)], "a") == [1, 2, 1]
