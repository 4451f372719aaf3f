from heap import Heap, heap_sorted


def test_one():
    assert heap_sorted([1]) == [1]


def test_two():
    assert heap_sorted([2, 1]) == [1, 2]


def test_many():
    assert heap_sorted([5, 3, 8, 1, 9, 2]) == [1, 2, 3, 5, 8, 9]
    assert heap_sorted([4, 7, 6, 5, 3, 2, 1, 0]) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_smallest_first():
    heap = Heap([3, 1, 2])
    assert heap.pop() == 1
    heap.push(0)
    assert heap.pop() == 0
