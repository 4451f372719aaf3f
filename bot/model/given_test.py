"""A test that somebody gives together with what is wrong: it has to fail now, and to pass in the end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GivenTest:
    """A new test file.

    Attributes:
        path: In the repository; nothing is there yet.
        content: Its text.
    """

    path: str
    content: str

    def as_diff(self) -> bytes:
        """Return the patch that adds the file, as `git apply` takes it."""
        lines = self.content.rstrip("\n").split("\n")
        head = [
            f"diff --git a/{self.path} b/{self.path}",
            "new file mode 100644",
            "--- /dev/null",
            f"+++ b/{self.path}",
            f"@@ -0,0 +1,{len(lines)} @@",
        ]
        text = "\n".join([*head, *(f"+{line}" for line in lines)]) + "\n"
        return text.encode("utf-8", "replace")
