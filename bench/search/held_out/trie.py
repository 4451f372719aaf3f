"""Words by their beginnings."""


class Trie:
    def __init__(self, words=()):
        self.below = {}
        self.ends = False
        for word in words:
            self.add(word)

    def add(self, word):
        node = self
        for letter in word:
            node = node.below.setdefault(letter, Trie())
        node.ends = True

    def _find(self, text):
        node = self
        for letter in text:
            node = node.below.get(letter)
            if node is None:
                return None
        return node

    def __contains__(self, word):
        node = self._find(word)
        return node is not None and node.ends

    def beginning(self, text):
        """Sorted words that begin like this."""
        node = self._find(text)
        if node is None:
            return []
        return [text + rest for rest in node._words()]

    def _words(self):
        if self.ends:
            yield ""
        for letter in sorted(self.below):
            for rest in self.below[letter]._words():
                yield letter + rest

    def longest(self, text):
        """The longest word that a text begins with, "" when there is none."""
        node, best = self, ""
        for place, letter in enumerate(text):
            if letter not in node.below:
                break
            node = node.below[letter]
            if node.ends:
                best = text[: place + 1]
        return best


def common(words):
    """What all words begin with."""
    if not words:
        return ""
    shortest = min(words, key=len)
    for place, letter in enumerate(shortest):
        if any(word[place] != letter for word in words):
            return shortest[:place]
    return shortest
