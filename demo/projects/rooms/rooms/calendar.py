"""What a day looks like."""


def free(bookings, opens, closes):
    """Return the stretches in which nobody has the room."""
    stretches = []
    at = opens
    for booking in sorted(bookings):
        if booking.start > at:
            stretches.append((at, booking.start))
        at = max(at, booking.end)
    if at < closes:
        stretches.append((at, closes))
    return stretches


def busiest(rooms):
    """Return the name of the room that is booked for the longest time."""
    return max(rooms, key=lambda name: sum(booking.minutes for booking in rooms[name]))
