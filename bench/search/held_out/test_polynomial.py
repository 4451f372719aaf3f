import unittest

from polynomial import Fraction, Polynomial


class Polynomials(unittest.TestCase):
    def test_zeros(self):
        self.assertEqual(Polynomial(1, 2, 0, 0), Polynomial(1, 2))
        self.assertEqual(Polynomial(0).coefficients, [])

    def test_call(self):
        self.assertEqual(Polynomial(1, 2, 3)(2), 17)
        self.assertEqual(Polynomial()(5), 0)

    def test_add(self):
        self.assertEqual(Polynomial(1, 2) + Polynomial(3, 4, 5), Polynomial(4, 6, 5))
        self.assertEqual(Polynomial(1, 2, 3) + Polynomial(1), Polynomial(2, 2, 3))

    def test_multiply(self):
        self.assertEqual(Polynomial(1, 1) * Polynomial(1, 1), Polynomial(1, 2, 1))
        self.assertEqual(Polynomial(2) * Polynomial(0, 3), Polynomial(0, 6))

    def test_derived(self):
        self.assertEqual(Polynomial(5, 4, 3).derived(), Polynomial(4, 6))

    def test_text(self):
        self.assertEqual(str(Polynomial(1, 1, 3)), "3x^2 + x + 1")
        self.assertEqual(str(Polynomial(0, 2)), "2x")
        self.assertEqual(str(Polynomial()), "0")
        self.assertEqual(str(Polynomial(1)), "1")


class Fractions(unittest.TestCase):
    def test_reduced(self):
        self.assertEqual(repr(Fraction(4, 6)), "2/3")
        self.assertEqual(repr(Fraction(1, -2)), "-1/2")
        self.assertEqual(repr(Fraction(6, 3)), "2")

    def test_no_fraction(self):
        with self.assertRaises(ZeroDivisionError):
            Fraction(1, 0)

    def test_arithmetic(self):
        self.assertEqual(Fraction(1, 2) + Fraction(1, 3), Fraction(5, 6))
        self.assertEqual(Fraction(1, 2) / Fraction(3, 4), Fraction(2, 3))

    def test_order(self):
        self.assertLess(Fraction(1, 3), Fraction(1, 2))
        self.assertFalse(Fraction(2, 4) < Fraction(1, 2))
        self.assertEqual(min(Fraction(2, 3), Fraction(3, 5)), Fraction(3, 5))
