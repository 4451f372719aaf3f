from pages import page, shown


def test_page():
    assert page(list("abcdefg"), 2, 3) == (["d", "e", "f"], 1, 3)
    assert page(list("abcdefg"), 9, 3) == (["g"], 2, None)


def test_page_first():
    assert page([1, 2], 0) == ([1, 2], None, None)


def test_shown():
    assert shown(5, 9, 1) == [1, "...", 4, 5, 6, "...", 9]
    assert shown(1, 3) == [1, 2, 3]
