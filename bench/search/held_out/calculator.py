"""Evaluate arithmetic: + - * / ^, parentheses, and a sign."""

import re

TOKEN = re.compile(r"\s*(\d+\.?\d*|[-+*/^()])")


def tokens(text):
    found = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise SyntaxError(f"what is {text[place]!r}?")
        found.append(match.group(1))
        place = match.end()
    return found


class Parser:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.place = 0

    def peek(self):
        if self.place < len(self.tokens):
            return self.tokens[self.place]
        return None

    def take(self):
        token = self.peek()
        self.place += 1
        return token

    def value(self):
        result = self.sum()
        if self.peek() is not None:
            raise SyntaxError(f"{self.peek()} is too much")
        return result

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            if self.take() == "+":
                left += self.product()
            else:
                left -= self.product()
        return left

    def product(self):
        left = self.sign()
        while self.peek() in ("*", "/"):
            operator = self.take()
            right = self.sign()
            left = left * right if operator == "*" else left / right
        return left

    def sign(self):
        if self.peek() == "-":
            self.take()
            return -self.sign()
        return self.power()

    def power(self):
        base = self.atom()
        if self.peek() == "^":
            self.take()
            return base ** self.sign()
        return base

    def atom(self):
        token = self.take()
        if token == "(":
            inner = self.sum()
            if self.take() != ")":
                raise SyntaxError("a ) is missing")
            return inner
        if token is None:
            raise SyntaxError("something is missing")
        return float(token) if "." in token else int(token)


def evaluate(text):
    return Parser(text).value()
