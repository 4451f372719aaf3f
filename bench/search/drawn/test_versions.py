from versions import allowed, parsed


def test_parsed():
    assert parsed("v1.2.3") == ((1, 2, 3), "final")
    assert parsed("2") == ((2, 0, 0), "final")


def test_parsed_kind():
    assert parsed("1.0-rc1-x") == ((1, 0, 0), "rc1-x")


def test_allowed_caret():
    assert allowed("^1.2.3", (1, 9, 0))
    assert not allowed("^1.2.3", (2, 0, 0))
    assert not allowed("^0.2.3", (0, 3, 0))


def test_allowed_tilde():
    assert allowed("~1.2.3", (1, 2, 9))
    assert not allowed("~1.2.3", (1, 3, 0))


def test_allowed_exact():
    assert allowed("1.2.3", (1, 2, 3))
    assert not allowed("1.2.3", (1, 2, 4))
