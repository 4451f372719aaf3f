"""`python -m bot` is `fixpoint`."""

from bot.cli import main

main()
