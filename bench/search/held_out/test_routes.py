from routes import UnionFind, components, has_cycle, shortest, spanning

ROADS = {
    "a": {"b": 7, "c": 3}, "b": {"d": 1}, "c": {"b": 2, "d": 8}, "d": {"e": 2}, "e": {}, "f": {"a": 1},
}  # fmt: skip


def test_shortest():
    assert shortest(ROADS, "a", "d") == 6
    assert shortest(ROADS, "a", "e") == 8
    assert shortest(ROADS, "f", "b") == 6


def test_shortest_to_itself():
    assert shortest(ROADS, "a", "a") == 0


def test_no_way():
    assert shortest(ROADS, "e", "a") is None


def test_components():
    assert components({1: [2], 2: [1], 3: [], 4: [5], 5: [4, 6], 6: [5]}) == [[1, 2], [3], [4, 5, 6]]
    assert components({}) == []


def test_components_of_a_ring():
    assert components({1: [2, 3], 2: [1, 3], 3: [1, 2]}) == [[1, 2, 3]]


def test_cycles():
    assert has_cycle({1: [2], 2: [3], 3: [1]})
    assert has_cycle({1: [1]})
    assert not has_cycle({1: [2, 3], 2: [3], 3: []})
    assert not has_cycle({1: [2, 3], 2: [4], 3: [4], 4: []})
    assert not has_cycle({})


def test_union_find():
    sets = UnionFind(5)
    assert sets.union(0, 1)
    assert sets.union(2, 3)
    assert sets.union(1, 3)
    assert not sets.union(0, 2)
    assert sets.find(0) == sets.find(3)
    assert sets.find(4) != sets.find(0)
    assert sets.sets == 2


def test_spanning():
    assert spanning(4, [(1, 0, 1), (4, 1, 2), (3, 0, 2), (2, 2, 3), (5, 0, 3)]) == 6
    assert spanning(3, [(9, 0, 1), (1, 1, 2), (2, 0, 2)]) == 3
    assert spanning(2, []) == 0
