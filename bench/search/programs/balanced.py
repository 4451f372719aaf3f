"""Do the brackets of a text match?"""

PAIRS = {")": "(", "]": "[", "}": "{"}


def balanced(text):
    """Return whether every bracket is closed by its own kind, in order."""
    waiting = []
    for letter in text:
        if letter in PAIRS.values():
            waiting.append(letter)
        elif letter in PAIRS:
            if not waiting or waiting.pop() != PAIRS[letter]:
                return False
    return not waiting
