import pytest

from shares import split


def test_splits_evenly():
    assert split(900, ["ann", "bo", "cy"]) == {"ann": 300, "bo": 300, "cy": 300}


def test_no_cent_is_lost():
    assert split(1000, ["ann", "bo", "cy"]) == {"ann": 334, "bo": 333, "cy": 333}


def test_a_single_cent():
    assert split(1, ["ann", "bo"]) == {"ann": 1, "bo": 0}


def test_nobody_can_not_pay():
    with pytest.raises(ValueError, match="somebody"):
        split(900, [])
