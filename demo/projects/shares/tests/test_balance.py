from shares import balance


def test_who_paid_is_owed_the_rest():
    assert balance([("ann", 900)], ["ann", "bo", "cy"]) == {"ann": 600, "bo": -300, "cy": -300}


def test_balances_add_up_to_nothing():
    assert sum(balance([("ann", 1000), ("bo", 701)], ["ann", "bo", "cy"]).values()) == 0
