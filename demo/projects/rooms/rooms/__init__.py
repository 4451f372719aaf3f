"""Book meeting rooms."""

from rooms.booking import Booking, Taken, book
from rooms.calendar import busiest, free

__all__ = ["Booking", "Taken", "book", "busiest", "free"]
