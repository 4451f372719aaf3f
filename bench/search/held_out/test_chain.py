from chain import Chain


def test_append_and_push():
    chain = Chain([1, 2])
    chain.append(3)
    chain.push(0)
    assert list(chain) == [0, 1, 2, 3]
    assert chain.size == 4


def test_empty():
    assert list(Chain()) == []
    assert Chain().middle() is None
    assert not Chain().remove(1)


def test_remove_first_middle_last():
    chain = Chain([1, 2, 3, 4])
    assert chain.remove(1)
    assert list(chain) == [2, 3, 4]
    assert chain.remove(3)
    assert list(chain) == [2, 4]
    assert chain.remove(4)
    assert list(chain) == [2]
    assert not chain.remove(9)
    assert chain.size == 1


def test_remove_takes_one():
    chain = Chain([5, 5])
    chain.remove(5)
    assert list(chain) == [5]


def test_reverse():
    chain = Chain([1, 2, 3])
    chain.reverse()
    assert list(chain) == [3, 2, 1]
    empty = Chain()
    empty.reverse()
    assert list(empty) == []


def test_middle():
    assert Chain([1, 2, 3]).middle() == 2
    assert Chain([1, 2, 3, 4]).middle() == 3
    assert Chain([1]).middle() == 1


def test_dedupe():
    chain = Chain([1, 1, 1, 2, 3, 3])
    chain.dedupe()
    assert list(chain) == [1, 2, 3]
    assert chain.size == 3
