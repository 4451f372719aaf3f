from playlists import Playlist, length


def test_next():
    playlist = Playlist(["a", "b"])
    assert playlist.next() == "b"
    assert playlist.next() is None


def test_repeat():
    playlist = Playlist(["a", "b"], repeat=True)
    playlist.next()
    assert playlist.next() == "a"
    assert Playlist([]).next() is None


def test_remove():
    playlist = Playlist(["a", "b", "c"])
    playlist.next()
    playlist.remove("a")
    assert playlist.songs[playlist.at] == "b"
    playlist.remove("z")
    assert playlist.next() == "c"
    playlist.remove("c")
    assert playlist.songs[playlist.at] == "b"


def test_insert_next():
    playlist = Playlist(["a", "b"])
    playlist.insert_next("x")
    assert playlist.next() == "x"


def test_length():
    assert length(187) == "3:07"
    assert length(3729) == "1:02:09"
