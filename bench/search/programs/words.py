"""Count words."""


def frequent(text, count):
    """Return the most frequent words, the most frequent first, equals by the alphabet."""
    counts = {}
    for word in text.lower().split():
        word = word.strip(".,!?")
        if word:
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return ranked[:count]
