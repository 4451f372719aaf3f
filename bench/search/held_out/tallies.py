"""Counting and grouping."""

from collections import Counter, defaultdict


def anagrams(words):
    """Groups of two or more words with the same letters, in order of appearance."""
    groups = defaultdict(list)
    for word in words:
        groups["".join(sorted(word.lower()))].append(word)
    return [group for group in groups.values() if len(group) > 1]


def inverted(mapping):
    """{value: sorted keys}."""
    turned = {}
    for key, value in mapping.items():
        turned.setdefault(value, []).append(key)
    return {value: sorted(keys) for value, keys in turned.items()}


def merged(one, other):
    """Both mappings; numbers of keys that both have are added, deeper mappings are merged."""
    result = dict(one)
    for key, value in other.items():
        if key in result and isinstance(value, dict):
            result[key] = merged(result[key], value)
        elif key in result:
            result[key] += value
        else:
            result[key] = value
    return result


def mode(values):
    """The most frequent value, the smallest one of several; None of nothing."""
    if not values:
        return None
    counts = Counter(values)
    most = max(counts.values())
    return min(value for value, count in counts.items() if count == most)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def ranks(scores):
    """{name: rank}: equal scores share a rank, and the next one is as many further."""
    ordered = sorted(scores.items(), key=lambda pair: pair[1], reverse=True)
    places = {}
    for place, (name, score) in enumerate(ordered, start=1):
        if place > 1 and score == ordered[place - 2][1]:
            places[name] = places[ordered[place - 2][0]]
        else:
            places[name] = place
    return places
