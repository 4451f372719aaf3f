"""Words and lines."""


def wrapped(text, width):
    """Return lines that are no longer than a width; longer words are cut."""
    lines = []
    line = ""
    for word in text.split():
        while len(word) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:width])
            word = word[width:]
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines


def slug(title, most=20):
    """Return a title for an address: small letters, digits, and a dash between words."""
    parts = []
    current = ""
    for letter in title.lower():
        if letter.isalnum():
            current += letter
        elif current:
            parts.append(current)
            current = ""
    if current:
        parts.append(current)
    text = ""
    for part in parts:
        longer = text + "-" + part if text else part
        if len(longer) > most:
            break
        text = longer
    return text
