from checksums import adler, valid_isbn


def test_isbn_10():
    assert valid_isbn("0-306-40615-2")
    assert not valid_isbn("0-306-40615-3")
    assert valid_isbn("0-8044-2957-X")


def test_isbn_13():
    assert valid_isbn("978-0-306-40615-7")
    assert not valid_isbn("978-0-306-40615-6")
    assert not valid_isbn("12X")


def test_adler():
    assert adler(b"Wikipedia") == 300286872
    assert adler(b"") == 1
