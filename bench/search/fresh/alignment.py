"""Compare and search texts."""


def edit_distance(one, other):
    """Return how many letters must be put in, taken out or changed."""
    before = list(range(len(other) + 1))
    for y, left in enumerate(one, start=1):
        row = [y]
        for x, right in enumerate(other, start=1):
            cost = 0 if left == right else 1
            row.append(min(before[x] + 1, row[x - 1] + 1, before[x - 1] + cost))
        before = row
    return before[-1]


def longest_common(one, other):
    """Return the longest text that stands in both."""
    best = ""
    lengths = {}
    for y, left in enumerate(one):
        for x, right in enumerate(other):
            if left == right:
                lengths[y, x] = lengths.get((y - 1, x - 1), 0) + 1
                if lengths[y, x] > len(best):
                    best = one[y - lengths[y, x] + 1 : y + 1]
    return best


def longest_palindrome(text):
    """Return the first of the longest palindromes."""
    best = ""
    for middle in range(len(text)):
        for low, high in ((middle, middle), (middle, middle + 1)):
            while low >= 0 and high < len(text) and text[low] == text[high]:
                low -= 1
                high += 1
            if high - low - 1 > len(best):
                best = text[low + 1 : high]
    return best


def failures(pattern):
    """Return for each place of a pattern how long its longest border up to there is."""
    table = [0] * len(pattern)
    length = 0
    for place in range(1, len(pattern)):
        while length > 0 and pattern[place] != pattern[length]:
            length = table[length - 1]
        if pattern[place] == pattern[length]:
            length += 1
        table[place] = length
    return table


def occurrences(pattern, text):
    """Return where a pattern begins in a text, overlaps included."""
    if not pattern:
        return []
    table = failures(pattern)
    found = []
    length = 0
    for place, char in enumerate(text):
        while length > 0 and char != pattern[length]:
            length = table[length - 1]
        if char == pattern[length]:
            length += 1
        if length == len(pattern):
            found.append(place - length + 1)
            length = table[length - 1]
    return found


def anagrams(words):
    """Return groups of words with the same letters, in the order of their first words."""
    groups = {}
    for word in words:
        key = "".join(sorted(word.lower()))
        groups.setdefault(key, []).append(word)
    return [group for group in groups.values() if len(group) > 1]


def matches(pattern, text):
    """Whether a pattern with `?` for one letter and `*` for any number of them fits a text."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return matches(pattern[1:], text) or (bool(text) and matches(pattern, text[1:]))
    if not text:
        return False
    if pattern[0] not in ("?", text[0]):
        return False
    return matches(pattern[1:], text[1:])


def rotated(one, other):
    """Whether one text is the other one, turned around."""
    return len(one) == len(other) and other in one + one
