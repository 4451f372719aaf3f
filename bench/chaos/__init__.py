"""Disasters from outside: real servers on one PostgreSQL are killed, stalled and lied to, seeded.

In the end GitHub has to show what it shows of an undisturbed run: nothing lost, nothing twice.
"""
