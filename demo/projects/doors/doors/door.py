"""A door and its code."""

from werkzeug.security import safe_str_cmp


class Door:
    """Opens for one code."""

    def __init__(self, code: str) -> None:
        self._code = code
        self.refused = 0

    def opens_for(self, code: str) -> bool:
        """Return whether a code is right, and count those that are wrong."""
        is_right = safe_str_cmp(code, self._code)
        if not is_right:
            self.refused += 1
        return is_right
