"""Polynomials and fractions as values."""

from math import gcd


class Polynomial:
    """Coefficients from the constant one up; no zeros at the end."""

    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)
        while self.coefficients and self.coefficients[-1] == 0:
            self.coefficients.pop()

    def __eq__(self, other):
        return self.coefficients == other.coefficients

    def __call__(self, x):
        result = 0
        for coefficient in reversed(self.coefficients):
            result = result * x + coefficient
        return result

    def __add__(self, other):
        size = max(len(self.coefficients), len(other.coefficients))
        mine = self.coefficients + [0] * (size - len(self.coefficients))
        theirs = other.coefficients + [0] * (size - len(other.coefficients))
        return Polynomial(*(a + b for a, b in zip(mine, theirs)))

    def __mul__(self, other):
        result = [0] * (len(self.coefficients) + len(other.coefficients))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                result[i + j] += a * b
        return Polynomial(*result)

    def derived(self):
        return Polynomial(*(n * c for n, c in enumerate(self.coefficients) if n > 0))

    def __str__(self):
        terms = []
        for power, c in reversed(list(enumerate(self.coefficients))):
            if c == 0:
                continue
            factor = "" if c == 1 and power > 0 else str(c)
            terms.append(factor + ("" if power == 0 else "x" if power == 1 else f"x^{power}"))
        return " + ".join(terms) or "0"


class Fraction:
    def __init__(self, top, bottom=1):
        if bottom == 0:
            raise ZeroDivisionError("a fraction of nothing")
        if bottom < 0:
            top, bottom = -top, -bottom
        common = gcd(top, bottom)
        self.top = top // common
        self.bottom = bottom // common

    def __eq__(self, other):
        return (self.top, self.bottom) == (other.top, other.bottom)

    def __add__(self, other):
        return Fraction(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __truediv__(self, other):
        return Fraction(self.top * other.bottom, self.bottom * other.top)

    def __lt__(self, other):
        return self.top * other.bottom < other.top * self.bottom

    def __repr__(self):
        return f"{self.top}/{self.bottom}" if self.bottom != 1 else str(self.top)
