"""Git on the host: objects of a run, trees of sandboxes, patches between them."""

from sandbox.git.freeze import freeze
from sandbox.git.objects import BYPRODUCTS, Diff, ObjectStore, PatchDoesNotApply, TreeChange
from sandbox.git.process import Credential, GitError, environment, git, text

__all__ = [
    "BYPRODUCTS",
    "Credential",
    "Diff",
    "GitError",
    "ObjectStore",
    "PatchDoesNotApply",
    "TreeChange",
    "environment",
    "freeze",
    "git",
    "text",
]
