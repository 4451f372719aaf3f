"""Machines with states."""


class Vending:
    """Takes coins, gives one thing at a price, and change."""

    def __init__(self, price, coins=(50, 20, 10)):
        self.price = price
        self.coins = coins
        self.paid = 0
        self.state = "idle"

    def insert(self, coin):
        if coin not in self.coins:
            return "rejected"
        self.paid += coin
        self.state = "ready" if self.paid >= self.price else "paying"
        return self.state

    def push(self):
        if self.state != "ready":
            return None
        change = self.change(self.paid - self.price)
        self.paid = 0
        self.state = "idle"
        return change

    def change(self, amount):
        given = []
        for coin in self.coins:
            while amount >= coin:
                given.append(coin)
                amount -= coin
        return given

    def cancel(self):
        back = self.change(self.paid)
        self.paid = 0
        self.state = "idle"
        return back


def fields(line, comma=",", quote='"'):
    """Split a line of CSV; two quotes inside quotes are one."""
    found = []
    text = ""
    quoted = False
    place = 0
    while place < len(line):
        char = line[place]
        if quoted:
            if char == quote and line[place + 1 : place + 2] == quote:
                text += quote
                place += 1
            elif char == quote:
                quoted = False
            else:
                text += char
        elif char == quote:
            quoted = True
        elif char == comma:
            found.append(text)
            text = ""
        else:
            text += char
        place += 1
    found.append(text)
    return found


def filled(template, values):
    """Put values in the place of {{names}}; names that are not known stay."""
    out = ""
    rest = template
    while "{{" in rest:
        before, _, after = rest.partition("{{")
        name, end, rest = after.partition("}}")
        if not end:
            return out + before + "{{" + name
        out += before + str(values.get(name.strip(), "{{" + name + "}}"))
    return out + rest


def runs(program, values):
    """A stack machine: numbers, + - * dup swap drop."""
    stack = list(values)
    for word in program.split():
        if word == "dup":
            stack.append(stack[-1])
        elif word == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif word == "drop":
            stack.pop()
        elif word in ("+", "-", "*"):
            right, left = stack.pop(), stack.pop()
            stack.append({"+": left + right, "-": left - right, "*": left * right}[word])
        else:
            stack.append(int(word))
    return stack
