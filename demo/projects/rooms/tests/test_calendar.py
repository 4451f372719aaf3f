from rooms import Booking, busiest, free


def test_an_empty_day():
    assert free([], 480, 1080) == [(480, 1080)]


def test_between_bookings():
    assert free([Booking(600, 660), Booking(480, 540)], 480, 1080) == [(540, 600), (660, 1080)]


def test_a_full_day():
    assert free([Booking(480, 1080)], 480, 1080) == []


def test_minutes_count():
    rooms = {"attic": [Booking(480, 500), Booking(500, 520)], "cellar": [Booking(480, 560)]}
    assert busiest(rooms) == "cellar"
