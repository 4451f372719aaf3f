"""Fixpoint: reproduce a failure, repair it, prove the repair, open a pull request."""

__version__ = "1.0.0"
