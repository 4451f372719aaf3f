from matrix import product, spiral, transposed


def test_transposed():
    assert transposed([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert transposed([]) == []


def test_product():
    assert product([[1, 2], [3, 4]], [[5, 6], [7, 8]]) == [[19, 22], [43, 50]]
    assert product([[1, 2, 3]], [[1], [2], [3]]) == [[14]]


def test_spiral():
    assert spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]
    assert spiral([[1, 2], [3, 4]]) == [1, 2, 4, 3]
