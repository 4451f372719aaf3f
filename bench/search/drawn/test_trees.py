from trees import merged, sizes


def test_merged():
    assert merged({"a": 1, "b": {"c": 2}}, {"b": {"d": 3}}) == {"a": 1, "b": {"c": 2, "d": 3}}
    assert merged({"a": 1, "b": 2}, {"a": None, "b": 3}) == {"b": 3}


def test_merged_lists():
    base = {"a": [1, 2]}
    assert merged(base, {"a": [2, 3]}) == {"a": [1, 2, 3]}
    assert base == {"a": [1, 2]}


def test_sizes():
    tree = {"x": 3, "d": {"y": 4, "e": {"z": 5}}}
    assert sizes(tree) == {"": 12, "/d": 9, "/d/e": 5}
