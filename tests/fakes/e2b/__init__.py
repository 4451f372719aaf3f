"""A stand-in for E2B: its control plane and the machines' own API, on a free local port.

    async with E2BServer(tmp_path / "e2b") as server:
        provider = E2BProvider(SecretStr(server.api_key), api_url=server.url, sandbox_url=server.url)
        ...
        assert not server.state.running

Each machine is a folder that bubblewrap makes the root of a file system; commands really run
there, without network unless the machine was created with it. As in E2B, a signal reaches one
process and none of its children, and a machine whose time-out passes is gone.
"""

from tests.fakes.e2b.faults import CutStream, Garbage, LoseAnswer, Refuse, Slow
from tests.fakes.e2b.server import E2BServer
from tests.fakes.e2b.state import Sandbox, State

__all__ = [
    "CutStream",
    "E2BServer",
    "Garbage",
    "LoseAnswer",
    "Refuse",
    "Sandbox",
    "Slow",
    "State",
]
