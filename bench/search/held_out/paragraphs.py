"""Text in lines."""


def wrapped(text, width):
    """Lines of at most `width` characters; longer words have a line of their own."""
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        lines.append(line)
    return lines


def justified(words, width):
    """One line of exactly `width` characters; the first gaps are the wider ones."""
    if len(words) == 1:
        return words[0].ljust(width)
    spaces = width - sum(len(word) for word in words)
    gap, more = divmod(spaces, len(words) - 1)
    line = ""
    for place, word in enumerate(words[:-1]):
        line += word + " " * (gap + (1 if place < more else 0))
    return line + words[-1]


def dedented(text):
    """Without the white space that all lines begin with; empty lines do not count."""
    lines = text.split("\n")
    depths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(depths, default=0)
    return "\n".join(line[cut:] if line.strip() else "" for line in lines)


def shortened(text, width, end="..."):
    """Cut at a word, so that it fits with the end."""
    if len(text) <= width:
        return text
    cut = text[: width - len(end) + 1]
    if " " in cut:
        return cut[: cut.rindex(" ")] + end
    return text[: width - len(end)] + end


def camel(name):
    """snake_case becomes camelCase."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def snake(name):
    """camelCase becomes snake_case."""
    out = ""
    for place, char in enumerate(name):
        if char.isupper() and place > 0:
            out += "_"
        out += char.lower()
    return out
