"""The registries that the gate stands for: it ends their TLS, for their credentials or a date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.egress.credentials import RegistryCredential, of_host
from sandbox.egress.inside import BUNDLE
from sandbox.egress.listings import PUBLIC_INDEXES
from sandbox.egress.policy import PORTS, Policy
from sandbox.egress.request import Wanted

if TYPE_CHECKING:
    from sandbox.egress.authority import Authority


class Registries:
    """What this process knows of registries: credentials, and how to stand for one.

    Args:
        credentials: All of them.
        environ: The host's environment: whom the operator trusts.
    """

    def __init__(
        self,
        credentials: Sequence[RegistryCredential] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._credentials = tuple(credentials)
        self._environ = environ or {}

    @cached_property
    def authority(self) -> Authority:
        """Signs for the registries, in sandboxes alone."""
        from sandbox.egress.authority import Authority  # slow to import, and rarely needed

        return Authority(self._environ)

    @property
    def private(self) -> frozenset[tuple[str, int]]:
        """Host and port of those with credentials."""
        return frozenset((credential.host, credential.port) for credential in self._credentials)

    def private_for(self, project: str) -> frozenset[tuple[str, int]]:
        """Host and port of those with credentials that serve a project (`owner/name`, or "")."""
        return frozenset(
            (credential.host, credential.port)
            for credential in self._credentials
            if credential.serves(project)
        )

    def credentials_for(self, wanted: Wanted, project: str) -> tuple[RegistryCredential, ...]:
        """Return the credentials for a host that serve a project, whatever the path."""
        return of_host(self._credentials, wanted, project)

    def stand_for(self, wanted: Wanted, policy: Policy) -> bool:
        """Whether a request or tunnel ends at the gate, which asks the registry itself."""
        network = policy.network
        if self.credentials_for(wanted, network.project):
            return True
        if network.package_date is None:
            return False
        place = (wanted.host, wanted.port)
        return place in policy.trusted or (wanted.host in PUBLIC_INDEXES and wanted.port in PORTS)

    def end_tls(self, policy: Policy) -> bool:
        """Whether a sandbox has to trust the gate."""
        network = policy.network
        return network.package_date is not None or bool(self.private_for(network.project))

    def show_bundle(self, folder: Path) -> None:
        """Write whom a sandbox shall trust into the folder that it sees."""
        file, bundle = folder / BUNDLE, self.authority.bundle
        if not file.is_file() or file.read_bytes() != bundle:
            file.write_bytes(bundle)
            file.chmod(0o644)
