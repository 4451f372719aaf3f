"""Where a local run finds its repository, and how it hands the fix over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.commands.fix_options import FixOptions, local_repository
from bot.commands.handover import commit_to_branch
from bot.errors import UsageError
from bot.model import Patch
from sandbox.git import foreign

PATCH = b"""\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file and a branch `fix`."""
    commands = (
        "git init -q -b main . && mkdir sub && echo one >a.txt && git add a.txt",
        "git -c user.name=T -c user.email=t@example.org commit -qm first && git branch fix",
    )
    for command in commands:
        subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_a_folder_of_a_repository_means_the_repository(repository: Path) -> None:
    """Its config stands at the root, and commands run there."""
    assert local_repository(FixOptions(str(repository / "sub"))) == repository


async def test_a_branch_that_git_refuses_loses_nothing(repository: Path) -> None:
    """`fix` stands in the way of `fix/it`: the sentence names the commit that holds the fix."""
    with pytest.raises(UsageError, match="the fix is commit") as refused:
        await commit_to_branch(repository, "fix/it", Patch(PATCH), "Fix it\n")
    commit = str(refused.value).split("commit ")[1][:40]
    async with foreign(repository) as theirs:
        assert await theirs.git("show", f"{commit}:a.txt") == b"two\n"
