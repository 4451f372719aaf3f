"""Small languages."""


def tokens(text):
    """Return the numbers, names and signs of a text, with their kinds."""
    found = []
    at = 0
    while at < len(text):
        letter = text[at]
        start = at
        if letter.isspace():
            at += 1
            continue
        if letter.isdigit():
            while at < len(text) and (text[at].isdigit() or text[at] == "."):
                at += 1
            kind = "number"
        elif letter.isalpha() or letter == "_":
            while at < len(text) and (text[at].isalnum() or text[at] == "_"):
                at += 1
            kind = "name"
        else:
            at += 2 if text[at : at + 2] in ("==", "<=", ">=") else 1
            kind = "sign"
        found.append((kind, text[start:at]))
    return found


def filled(template, values):
    """Return a template in which `{name}` stands for a value; `{{` is a brace, unknown names stay."""
    result = []
    at = 0
    while at < len(template):
        if template.startswith("{{", at):
            result.append("{")
            at += 2
            continue
        end = template.find("}", at)
        if template[at] == "{" and end != -1:
            name = template[at + 1 : end]
            if name in values:
                result.append(str(values[name]))
            else:
                result.append(template[at : end + 1])
            at = end + 1
        else:
            result.append(template[at])
            at += 1
    return "".join(result)
