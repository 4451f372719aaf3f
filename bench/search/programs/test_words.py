from words import frequent


def test_order():
    assert frequent("b a b", 2) == ["b", "a"]


def test_equals():
    assert frequent("c b a", 3) == ["a", "b", "c"]


def test_case_and_marks():
    assert frequent("Dog! dog, cat.", 2) == ["dog", "cat"]


def test_few():
    assert frequent("a b", 1) == ["a"]


def test_only_marks():
    assert frequent("? a !", 5) == ["a"]
