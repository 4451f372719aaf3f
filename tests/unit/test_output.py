"""What is kept of a command's output."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandbox.output import BoundedOutput


def collect(limit: int, *pieces: bytes) -> BoundedOutput:
    output = BoundedOutput(limit)
    for piece in pieces:
        output.add(piece)
    return output


def test_output_within_the_limit_is_kept_whole() -> None:
    """Nothing is cut, and nothing is added, up to the very limit."""
    output = collect(10, b"01234", b"5678", b"9")
    assert output.text() == "0123456789"
    assert output.omitted == 0


def test_head_and_tail_stay_when_the_middle_goes() -> None:
    """One line between them says how many bytes are missing."""
    output = collect(10, b"start", b"x" * 1000, b"enden")
    assert output.omitted == 1000
    assert output.text() == "start\n[... 1000 bytes of output left out ...]\nenden"


def test_the_line_about_missing_bytes_stands_alone() -> None:
    """A head that ends with a newline gets no empty line."""
    assert collect(4, b"a\n", b"123456").text() == "a\n[... 4 bytes of output left out ...]\n56"


def test_broken_utf8_is_replaced() -> None:
    """Bytes that are no UTF-8 never raise."""
    assert collect(100, b"caf\xe9!").text() == "caf\ufffd!"


def test_a_character_split_between_pieces_is_whole() -> None:
    """Pieces are joined before they are decoded."""
    assert collect(100, b"\xe2\x82", b"\xac").text() == "\u20ac"


def test_characters_at_the_cut_are_dropped_whole() -> None:
    """The cut leaves no replacement characters behind."""
    output = collect(8, "\u20ac\u20ac\u20ac\u20ac\u20ac".encode())
    assert output.text() == "\u20ac\n[... 7 bytes of output left out ...]\n\u20ac"


def test_the_listener_hears_everything() -> None:
    """Also the pieces that are not kept."""
    heard: list[bytes] = []
    output = BoundedOutput(2, heard.append)
    for piece in (b"one", b"two", b"", b"three"):
        output.add(piece)
    assert heard == [b"one", b"two", b"three"]


@given(st.integers(2, 50), st.lists(st.binary(max_size=40), max_size=20))
def test_every_byte_is_kept_or_counted(limit: int, pieces: list[bytes]) -> None:
    """However the output is cut into pieces."""
    whole = b"".join(pieces)
    output = collect(limit, *pieces)
    assert output.omitted == max(0, len(whole) - limit)
    output.text()
    assert output.omitted == max(0, len(whole) - limit)
    if not output.omitted:
        assert output.text() == whole.decode(errors="replace")
