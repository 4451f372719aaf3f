"""Git on the host: objects of a run, trees of sandboxes, patches between them."""

from sandbox.git.foreign import ForeignRepository, foreign, settings_in
from sandbox.git.freeze import freeze
from sandbox.git.index_stamps import restamp
from sandbox.git.layout import RepositoryRefused
from sandbox.git.objects import (
    BYPRODUCTS,
    EMPTY_TREE,
    Diff,
    FoundLines,
    ObjectStore,
    PatchDoesNotApply,
    TreeChange,
)
from sandbox.git.process import Credential, GitError, environment, git, parted
from sandbox.git.work_tree import is_empty_folder, is_plain_file

__all__ = [
    "BYPRODUCTS",
    "EMPTY_TREE",
    "Credential",
    "Diff",
    "ForeignRepository",
    "FoundLines",
    "GitError",
    "ObjectStore",
    "PatchDoesNotApply",
    "RepositoryRefused",
    "TreeChange",
    "environment",
    "foreign",
    "freeze",
    "git",
    "is_empty_folder",
    "is_plain_file",
    "parted",
    "restamp",
    "settings_in",
]
