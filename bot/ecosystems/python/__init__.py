"""Python: pip, uv, poetry, pdm, pipenv; pytest, unittest, Django, tox, nox."""
