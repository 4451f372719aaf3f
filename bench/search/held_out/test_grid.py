import unittest

from grid import determinant, generation, islands, living, spiral


class Spiral(unittest.TestCase):
    def test_square(self):
        self.assertEqual(spiral([[1, 2, 3], [8, 9, 4], [7, 6, 5]]), [1, 2, 3, 4, 5, 6, 7, 8, 9])

    def test_wide(self):
        self.assertEqual(spiral([[1, 2, 3, 4], [10, 11, 12, 5], [9, 8, 7, 6]]), list(range(1, 13)))

    def test_one_row_and_one_column(self):
        self.assertEqual(spiral([[1, 2, 3]]), [1, 2, 3])
        self.assertEqual(spiral([[1], [2], [3]]), [1, 2, 3])

    def test_nothing(self):
        self.assertEqual(spiral([]), [])


class Determinant(unittest.TestCase):
    def test_small(self):
        self.assertEqual(determinant([[7]]), 7)
        self.assertEqual(determinant([[1, 2], [3, 4]]), -2)

    def test_three(self):
        self.assertEqual(determinant([[2, 0, 1], [1, 3, 2], [1, 1, 4]]), 18)
        self.assertEqual(determinant([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), 0)


class Life(unittest.TestCase):
    def test_neighbours(self):
        self.assertEqual(living({(0, 0), (1, 0), (5, 5)}, 0, 0), 1)
        self.assertEqual(living({(0, 0), (1, 0), (1, 1)}, 0, 1), 3)

    def test_blinker(self):
        line = {(0, 1), (1, 1), (2, 1)}
        self.assertEqual(generation(line), {(1, 0), (1, 1), (1, 2)})
        self.assertEqual(generation(generation(line)), line)

    def test_block_and_loner(self):
        block = {(0, 0), (0, 1), (1, 0), (1, 1)}
        self.assertEqual(generation(block), block)
        self.assertEqual(generation({(0, 0)}), set())

    def test_crowded(self):
        plus = {(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)}
        self.assertNotIn((1, 1), generation(plus))


class Islands(unittest.TestCase):
    def test_some(self):
        self.assertEqual(islands([[1, 1, 0], [0, 0, 1], [1, 0, 1]]), 3)

    def test_ring(self):
        self.assertEqual(islands([[1, 1, 1], [1, 0, 1], [1, 1, 1]]), 1)

    def test_none(self):
        self.assertEqual(islands([[0, 0]]), 0)
        self.assertEqual(islands([]), 0)

    def test_columns(self):
        self.assertEqual(islands([[1, 0, 1], [1, 0, 1], [1, 0, 1]]), 2)
