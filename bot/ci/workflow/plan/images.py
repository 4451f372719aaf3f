"""What the images of GitHub's runners bring along. Pure."""

from __future__ import annotations

from collections.abc import Iterable

_PYTHONS = {
    "ubuntu-18.04": "3.6",
    "ubuntu-20.04": "3.8",
    "ubuntu-22.04": "3.10",
    "ubuntu-24.04": "3.12",
}
"""The `python3` of each image, which jobs have that set none up.

Source: https://github.com/actions/runner-images, the page of each image."""


def python_of(image: str, labels: Iterable[str]) -> str:
    """Return the version of an image's own Python, "" where nothing tells it.

    Args:
        image: As the log calls it, or "".
        labels: Of the job's `runs-on`; one with a version says more than the log of another run.
    """
    return next((_PYTHONS[name] for name in (*labels, image) if name in _PYTHONS), "")
