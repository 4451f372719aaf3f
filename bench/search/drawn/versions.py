"""Version numbers."""


def parsed(text):
    """Return the numbers of a version, and what kind of release it is."""
    kind = "final"
    if "-" in text:
        text, kind = text.split("-", 1)
    numbers = [int(part) for part in text.lstrip("v").split(".")]
    while len(numbers) < 3:
        numbers.append(0)
    return tuple(numbers), kind


def allowed(wanted, version):
    """Whether a version of three numbers is allowed by `^1.2.3`, `~1.2.3` or `1.2.3`."""
    sign = wanted[0]
    least = tuple(int(part) for part in wanted.lstrip("^~").split("."))
    if version < least:
        return False
    if sign == "^":
        if least[0] == 0:
            return version[:2] == least[:2]
        return version[0] == least[0]
    if sign == "~":
        return version[:2] == least[:2]
    return version == least
