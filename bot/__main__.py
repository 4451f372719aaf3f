"""`python -m bot` is `fixpoint`."""

from bot.commands.cli import main

main()
