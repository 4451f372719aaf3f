"""What the search runs inside the sandbox, with the project's own Python.

Only the standard library, from Python 3.8 on: the project's environment has nothing of ours. The
package travels as one zip file, is given a request as a JSON file and leaves its answer as another.
"""
