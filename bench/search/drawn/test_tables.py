from tables import drawn, fields


def test_drawn():
    assert drawn([["apple", 3], ["fig", 120]]) == ["apple    3", "fig    120"]


def test_drawn_gap():
    assert drawn([["a", "b"], ["cc", "d"]], 1) == ["a  b", "cc d"]


def test_fields():
    assert fields("a,b,") == ["a", "b", ""]
    assert fields('"a,b",c') == ["a,b", "c"]


def test_fields_quotes():
    assert fields('"say ""hi""",x') == ['say "hi"', "x"]


def test_fields_separator():
    assert fields("a;b,c", ";") == ["a", "b,c"]
