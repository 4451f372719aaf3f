from queues import Jobs, batches


def test_take():
    jobs = Jobs()
    jobs.add("a")
    jobs.add("b", 2)
    jobs.add("c", 2)
    assert [jobs.take()[2] for _ in range(3)] == ["b", "c", "a"]
    assert jobs.take() is None


def test_fail():
    jobs = Jobs(tries=2)
    jobs.add("a")
    jobs.add("b")
    jobs.fail(jobs.take())
    assert jobs.take()[2] == "b"
    jobs.fail(jobs.take())
    assert jobs.failed == ["a"]
    assert jobs.waiting == []


def test_batches():
    assert batches([("a", 3), ("b", 4), ("c", 9), ("d", 1)], 7) == [["a", "b"], ["c"], ["d"]]
    assert batches([], 3) == []
