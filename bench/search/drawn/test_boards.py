from boards import moves, winner


def test_moves():
    assert moves(["..p", ".R.", ".K."], 1, 1) == [(0, 1), (1, 0), (1, 2)]


def test_moves_takes():
    assert moves(["R.q.", "p..."], 0, 0) == [(0, 1), (0, 2), (1, 0)]


def test_winner():
    assert winner(["xo.", "xo.", "x.o"]) == "x"
    assert winner(["o.x", "ox.", "x.o"]) == "x"
    assert winner(["xo.", ".xo", "o.."]) == ""
