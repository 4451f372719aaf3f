"""How projects of each ecosystem are set up and tested, what a failed command shows that they lack, and how some of their tests run alone.

One folder for each ecosystem, with the same file names; what they share stands beside them.
"""
