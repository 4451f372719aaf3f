"""Git on the host: objects of a run, trees of sandboxes, patches between them."""

from sandbox.git.freeze import freeze
from sandbox.git.objects import (
    BYPRODUCTS,
    EMPTY_TREE,
    Diff,
    ObjectStore,
    PatchDoesNotApply,
    TreeChange,
)
from sandbox.git.process import Credential, GitError, environment, git, text

__all__ = [
    "BYPRODUCTS",
    "EMPTY_TREE",
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
