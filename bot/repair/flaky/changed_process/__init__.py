"""What an intervention does inside of a process: each module is sent, as text, to the project's Python.

A module has one function of its own name. It needs nothing but Python 3.7 or newer and its standard
library, and is called before the tests are collected.
"""
