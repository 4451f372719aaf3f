"""Run-length coding of a text."""


def encode(text):
    """Return pairs of a letter and how often it stands in a row."""
    pairs = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end] != text[start]:
            pairs.append((text[start], end - start))
            start = end
    return pairs


def decode(pairs):
    """Return the text behind such pairs."""
    return "".join(letter * count for letter, count in pairs)
