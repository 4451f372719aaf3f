from tokens import filled, tokens


def test_tokens():
    assert tokens("a_1 = 2.5") == [("name", "a_1"), ("sign", "="), ("number", "2.5")]


def test_tokens_signs():
    assert tokens("x<=10") == [("name", "x"), ("sign", "<="), ("number", "10")]


def test_filled():
    assert filled("Hi {name}!", {"name": "Bo"}) == "Hi Bo!"
    assert filled("{a}{b}", {"a": 1}) == "1{b}"


def test_filled_braces():
    assert filled("{{a} {a", {"a": 1}) == "{a} {a"
