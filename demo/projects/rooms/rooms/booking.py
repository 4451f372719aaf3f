"""Bookings of one room, and whether they get in each other's way."""

from dataclasses import dataclass


class Taken(Exception):
    """Somebody else has the room at that time."""


@dataclass(frozen=True, order=True)
class Booking:
    """A room from one minute of the day until another."""

    start: int
    end: int

    def __post_init__(self):
        if self.start >= self.end:
            raise ValueError("a booking ends after it starts")

    @property
    def minutes(self):
        """How long it is."""
        return self.end - self.start

    def clashes(self, other):
        """Whether both need the room at the same time."""
        return self.start <= other.end and other.start < self.end


def book(bookings, wanted):
    """Return the bookings with one more, in order."""
    for booking in bookings:
        if booking.clashes(wanted):
            raise Taken(f"{booking.start} to {booking.end}")
    return sorted([*bookings, wanted])
