import pytest
from units import duration, readable, size


def test_size():
    assert size("10 MB") == 10485760
    assert size("1.5KB") == 1536
    assert size("7") == 7


def test_readable():
    assert readable(1536) == "1.5 KB"
    assert readable(500) == "500 B"
    assert readable(1024**3) == "1.0 GB"


def test_duration():
    assert duration("1h30m") == 5400
    assert duration("90") == 90
    assert duration("2d5s") == 172805


def test_duration_wrong():
    with pytest.raises(ValueError):
        duration("h")
