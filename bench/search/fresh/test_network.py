import pytest

from network import all_costs, cheapest, fewest_hops, has_cycle, in_degree_order, spanning_cost

MAP = {"a": {"b": 1, "c": 5}, "b": {"c": 2, "d": 7}, "c": {"d": 1}, "d": {}, "e": {"a": 1}}


def test_cheapest():
    assert cheapest(MAP, "a", "d") == 4
    assert cheapest(MAP, "a", "c") == 3
    assert cheapest(MAP, "a", "a") == 0
    assert cheapest(MAP, "a", "e") is None


def test_cheapest_in_a_circle():
    assert cheapest({"a": {"b": 1}, "b": {"a": 1, "c": 1}}, "a", "c") == 2
    assert cheapest({"a": {"b": 1}, "b": {"a": 1}}, "a", "z") is None


def test_fewest_hops():
    assert fewest_hops(MAP, "a", "d") in (["a", "b", "d"], ["a", "c", "d"])
    assert fewest_hops(MAP, "e", "c") == ["e", "a", "c"]
    assert fewest_hops(MAP, "d", "a") == []
    assert fewest_hops(MAP, "b", "b") == ["b"]


def test_spanning_cost():
    edges = [(1, "a", "b"), (4, "a", "c"), (2, "b", "c"), (7, "c", "d")]
    assert spanning_cost("abcd", edges) == 10
    assert spanning_cost("abcde", edges) is None
    assert spanning_cost("a", []) == 0


def test_spanning_cost_of_two_parts_that_meet():
    edges = [(1, "a", "b"), (1, "c", "d"), (3, "b", "d"), (3, "a", "c"), (9, "a", "d")]
    assert spanning_cost("abcd", edges) == 5


def test_cycle():
    assert has_cycle({"a": {"b": 1}, "b": {"a": 1}})
    assert not has_cycle({"a": {"b": 1, "c": 1}, "b": {"d": 1}, "c": {"d": 1}, "d": {}})
    assert not has_cycle({})
    assert has_cycle({"a": {"a": 1}})


def test_all_costs():
    costs = all_costs("abc", [("a", "b", 3), ("b", "c", 1), ("a", "c", 9), ("a", "c", 8)])
    assert costs["a", "c"] == 4
    assert costs["a", "a"] == 0
    assert costs["c", "a"] == float("inf")
    assert all_costs("ab", [("a", "b", 2), ("a", "b", 5)])["a", "b"] == 2


def test_all_costs_over_a_later_node():
    costs = all_costs("abcd", [("a", "d", 1), ("d", "c", 1), ("c", "b", 1)])
    assert costs["a", "b"] == 3


def test_order():
    assert in_degree_order({"c": ["d"], "a": ["b", "c"], "b": ["d"]}) == ["a", "b", "c", "d"]
    with pytest.raises(ValueError):
        in_degree_order({"a": ["b"], "b": ["a"]})
