import pytest
from machine import Vending, fields, filled, runs


def test_buying():
    machine = Vending(60)
    assert machine.insert(50) == "paying"
    assert machine.push() is None
    assert machine.insert(50) == "ready"
    assert machine.push() == [20, 20]
    assert machine.state == "idle"
    assert machine.paid == 0


def test_exact():
    machine = Vending(70)
    machine.insert(50)
    assert machine.insert(20) == "ready"
    assert machine.push() == []


def test_wrong_coin():
    machine = Vending(50)
    assert machine.insert(25) == "rejected"
    assert machine.paid == 0


def test_cancel():
    machine = Vending(100)
    machine.insert(50)
    machine.insert(10)
    assert machine.cancel() == [50, 10]
    assert (machine.paid, machine.state) == (0, "idle")
    assert machine.cancel() == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a,b,c", ["a", "b", "c"]), ("a,,c", ["a", "", "c"]), ("a,", ["a", ""]), ("", [""]),
        ('"a,b",c', ["a,b", "c"]), ('"say ""hi""",x', ['say "hi"', "x"]), ('x,"y"', ["x", "y"]),
    ],
)  # fmt: skip
def test_fields(line, found):
    assert fields(line) == found


def test_filled():
    assert filled("Dear {{name}}, {{ n }} new.", {"name": "Ann", "n": 3}) == "Dear Ann, 3 new."
    assert filled("{{a}}{{b}}", {"a": 1}) == "1{{b}}"
    assert filled("plain", {}) == "plain"
    assert filled("open {{name", {"name": 1}) == "open {{name"


def test_runs():
    assert runs("2 3 + 4 *", []) == [20]
    assert runs("dup *", [7]) == [49]
    assert runs("swap -", [3, 10]) == [7]
    assert runs("drop", [1, 2]) == [1]
    assert runs("swap", [1, 2, 3]) == [1, 3, 2]
