"""Series of measurements."""


def smoothed(values, width):
    """Return means of as many values around each one; there are fewer at the ends."""
    result = []
    half = width // 2
    for place in range(len(values)):
        first = max(0, place - half)
        near = values[first : place + half + 1]
        result.append(sum(near) / len(near))
    return result


def peaks(values, least=0):
    """Return the places that are higher than both neighbours by so much."""
    found = []
    for place in range(1, len(values) - 1):
        before, here, behind = values[place - 1 : place + 2]
        if here - before > least and here - behind > least:
            found.append(place)
    return found


def thermostat(readings, target, slack=1):
    """Return whether the heating is on after each reading: it changes only beyond the slack."""
    on = False
    states = []
    for reading in readings:
        if reading < target - slack:
            on = True
        elif reading > target + slack:
            on = False
        states.append(on)
    return states
