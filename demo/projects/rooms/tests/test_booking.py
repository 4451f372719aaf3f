import pytest

from rooms import Booking, Taken, book

TEN_TO_ELEVEN = Booking(600, 660)


def test_an_empty_room_is_free():
    assert book([], TEN_TO_ELEVEN) == [TEN_TO_ELEVEN]


@pytest.mark.parametrize("wanted", [Booking(630, 690), Booking(570, 610), Booking(610, 620)])
def test_nobody_is_thrown_out(wanted):
    with pytest.raises(Taken):
        book([TEN_TO_ELEVEN], wanted)


@pytest.mark.parametrize("wanted", [Booking(660, 720), Booking(720, 780)])
def test_one_after_the_other(wanted):
    assert book([TEN_TO_ELEVEN], wanted) == [TEN_TO_ELEVEN, wanted]


@pytest.mark.parametrize("wanted", [Booking(540, 600), Booking(480, 540), Booking(599, 600)])
def test_one_before_the_other(wanted):
    assert book([TEN_TO_ELEVEN], wanted) == [wanted, TEN_TO_ELEVEN]


def test_one_between_two():
    day = [Booking(480, 540), TEN_TO_ELEVEN]
    assert book(day, Booking(540, 600)) == [day[0], Booking(540, 600), day[1]]


def test_a_whole_day_without_a_break():
    day = []
    for start in range(480, 1080, 60):
        day = book(day, Booking(start, start + 60))
    assert len(day) == 10


def test_time_runs_forwards():
    with pytest.raises(ValueError, match="ends after"):
        Booking(660, 600)
