from doors import Door


def test_opens_for_its_code() -> None:
    assert Door("4711").opens_for("4711")


def test_counts_wrong_codes() -> None:
    door = Door("4711")
    assert not door.opens_for("0815")
    assert not door.opens_for("47110")
    assert door.refused == 2
