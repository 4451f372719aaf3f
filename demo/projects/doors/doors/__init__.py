"""Open doors for those who know the code."""

from doors.door import Door

__all__ = ["Door"]
