"""Split a bill between friends, to the cent."""

from shares.balance import balance
from shares.split import split

__all__ = ["balance", "split"]
