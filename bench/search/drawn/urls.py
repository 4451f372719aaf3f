"""Addresses."""


def joined(base, path, query=None):
    """Return an address with a path and a query below another one."""
    if path.startswith("/"):
        scheme, rest = base.split("://")
        address = scheme + "://" + rest.split("/")[0] + path
    else:
        address = base.rstrip("/") + "/" + path
    if query:
        mark = "&" if "?" in address else "?"
        pairs = [key + "=" + str(value) for key, value in sorted(query.items()) if value is not None]
        if pairs:
            address += mark + "&".join(pairs)
    return address


def normal(path):
    """Return a path without `.` and `..`, which never leave its root."""
    parts = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if parts:
                parts.pop()
        else:
            parts.append(part)
    end = "/" if path.endswith("/") and parts else ""
    return "/" + "/".join(parts) + end
