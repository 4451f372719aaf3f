from unittest import TestCase

from bits import gray, is_power, lonely, ones, subset_sums, turned, ungray


class Bits(TestCase):
    def test_ones(self):
        self.assertEqual([ones(n) for n in (0, 1, 2, 3, 255, 256)], [0, 1, 1, 2, 8, 1])

    def test_powers(self):
        self.assertEqual([n for n in range(20) if is_power(n)], [1, 2, 4, 8, 16])

    def test_turned(self):
        self.assertEqual(turned(0b00000001), 0b10000000)
        self.assertEqual(turned(0b1011, 4), 0b1101)
        self.assertEqual(turned(0), 0)

    def test_gray(self):
        self.assertEqual([gray(n) for n in range(8)], [0, 1, 3, 2, 6, 7, 5, 4])
        for n in range(64):
            with self.subTest(n=n):
                self.assertEqual(ungray(gray(n)), n)

    def test_lonely(self):
        self.assertEqual(lonely([3, 5, 3]), 5)
        self.assertEqual(lonely([7]), 7)
        self.assertEqual(lonely([1, 2, 1, 2, 9]), 9)

    def test_subset_sums(self):
        self.assertEqual(subset_sums([1, 2, 5]), [0, 1, 2, 3, 5, 6, 7, 8])
        self.assertEqual(subset_sums([]), [0])
        self.assertEqual(subset_sums([2, 2]), [0, 2, 4])
