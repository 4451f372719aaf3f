from intervals import gaps, meeting, overlap


def test_gaps():
    assert gaps([(10, 12), (5, 6), (11, 14)], 4, 20) == [(4, 5), (6, 10), (14, 20)]
    assert gaps([(0, 30)], 4, 20) == []


def test_meeting():
    assert meeting([[(480, 540)], [(570, 700)]], 60) == 700
    assert meeting([[(480, 1080)]], 10) is None
    assert meeting([[(500, 600)]], 20) == 480


def test_overlap():
    assert overlap((1, 5), (3, 9)) == 2
    assert overlap((1, 2), (3, 4)) == 0
