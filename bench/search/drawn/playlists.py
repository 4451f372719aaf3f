"""Music."""


class Playlist:
    """Songs one after the other, with a place in it."""

    def __init__(self, songs, repeat=False):
        self.songs = list(songs)
        self.repeat = repeat
        self.at = 0

    def next(self):
        if not self.songs:
            return None
        if self.at + 1 < len(self.songs):
            self.at += 1
        elif self.repeat:
            self.at = 0
        else:
            return None
        return self.songs[self.at]

    def remove(self, song):
        if song not in self.songs:
            return
        place = self.songs.index(song)
        self.songs.remove(song)
        if place < self.at or self.at == len(self.songs):
            self.at = max(0, self.at - 1)

    def insert_next(self, song):
        self.songs.insert(self.at + 1, song)


def length(seconds):
    """Return seconds as people write them: `3:07` or `1:02:09`."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return str(hours) + ":" + str(minutes).zfill(2) + ":" + str(seconds).zfill(2)
    return str(minutes) + ":" + str(seconds).zfill(2)
