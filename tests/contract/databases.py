"""Empty databases of both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.exhaustive]),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> SecretStr:
    """Give the URL of an empty database of each kind."""
    if request.param == "sqlite":
        return SecretStr(f"sqlite:///{tmp_path}/new/folder/fixpoint.db")
    server = request.getfixturevalue("postgres")
    return SecretStr(server.empty_database())
