"""A table shows one amount in all the units of its kind."""

from measures import table


def test_lists_every_unit_of_the_kind():
    assert [line.split() for line in table(1, "kilogram")] == [
        ["1,000.000", "gram"],
        ["1.000", "kilogram"],
        ["2.205", "pound"],
    ]


def test_knows_speeds():
    assert [line.split() for line in table(10, "knot")] == [
        ["18.520", "kilometre_per_hour"],
        ["5.144", "metre_per_second"],
        ["10.000", "knot"],
    ]
