from tallies import anagrams, inverted, median, merged, mode, ranks


def test_anagrams():
    assert anagrams(["Listen", "cat", "silent", "act", "dog"]) == [["Listen", "silent"], ["cat", "act"]]
    assert anagrams([]) == []


def test_inverted():
    assert inverted({"b": 1, "a": 1, "c": 2}) == {1: ["a", "b"], 2: ["c"]}


def test_merged():
    assert merged({"a": 1, "b": 2}, {"b": 3, "c": 4}) == {"a": 1, "b": 5, "c": 4}
    assert merged({"x": {"a": 1}}, {"x": {"a": 2, "b": 3}, "y": {"q": 1}}) == {
        "x": {"a": 3, "b": 3},
        "y": {"q": 1},
    }


def test_merged_leaves_its_arguments():
    one = {"a": 1}
    merged(one, {"a": 5})
    assert one == {"a": 1}


def test_mode():
    assert mode([1, 2, 2, 3]) == 2
    assert mode([3, 1, 3, 1]) == 1
    assert mode([]) is None


def test_median():
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 3, 2]) == 2.5
    assert median([5]) == 5


def test_ranks():
    assert ranks({"ann": 50, "bob": 70, "cid": 50, "dee": 10}) == {"bob": 1, "ann": 2, "cid": 2, "dee": 4}
    assert ranks({"ann": 1}) == {"ann": 1}
