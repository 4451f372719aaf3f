from spans import gaps, most_meetings, overlap, rooms, without


def test_overlap():
    assert overlap((1, 5), (3, 8)) == 2
    assert overlap((1, 5), (2, 3)) == 1
    assert overlap((1, 2), (4, 5)) == 0


def test_gaps():
    assert gaps([(2, 4), (6, 7)], 0, 10) == [(0, 2), (4, 6), (7, 10)]
    assert gaps([(6, 7), (2, 4)], 2, 7) == [(4, 6)]
    assert gaps([(0, 9), (1, 3)], 0, 10) == [(9, 10)]
    assert gaps([], 1, 2) == [(1, 2)]


def test_rooms():
    assert rooms([(0, 30), (5, 10), (15, 20)]) == 2
    assert rooms([(1, 2), (2, 3)]) == 1
    assert rooms([(1, 9), (2, 9), (3, 9), (9, 10)]) == 3
    assert rooms([]) == 0


def test_without():
    assert without((0, 10), (3, 5)) == [(0, 3), (5, 10)]
    assert without((0, 10), (0, 5)) == [(5, 10)]
    assert without((0, 10), (5, 12)) == [(0, 5)]
    assert without((0, 10), (-1, 11)) == []
    assert without((0, 10), (20, 30)) == [(0, 10)]


def test_most_meetings():
    assert most_meetings([(0, 6), (1, 4), (3, 5), (5, 7), (8, 9), (5, 9)]) == 3
    assert most_meetings([(1, 3), (2, 3), (3, 4)]) == 2
    assert most_meetings([]) == 0
