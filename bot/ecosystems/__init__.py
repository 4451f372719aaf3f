"""How projects of each ecosystem are set up and tested, what a failed command shows that they lack, and how some of their tests run alone.

One module for each ecosystem, a folder where it is long; what they share stands beside them.
"""
