"""Say who owes whom after several bills."""

from collections.abc import Iterable, Sequence

from shares.split import split


def balance(bills: Iterable[tuple[str, int]], people: Sequence[str]) -> dict[str, int]:
    """Return what everybody is owed, in cents; less than nothing is what they owe.

    Each bill names who paid it, and how much it was.
    """
    owed = dict.fromkeys(people, 0)
    for payer, total in bills:
        owed[payer] += total
        for person, share in split(total, people).items():
            owed[person] -= share
    return owed
