from paths import distance

GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["a"], "e": ["f"]}


def test_here():
    assert distance(GRAPH, "a", "a") == 0


def test_next():
    assert distance(GRAPH, "a", "c") == 1


def test_shortest():
    assert distance(GRAPH, "a", "f") == 3


def test_around():
    assert distance(GRAPH, "b", "c") == 3


def test_no_way():
    assert distance(GRAPH, "f", "a") is None
    assert distance(GRAPH, "a", "z") is None
