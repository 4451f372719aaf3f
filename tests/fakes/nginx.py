"""A real nginx: as a private registry that wants to know who asks and logs it, or with a site of its own."""

from __future__ import annotations

import asyncio
import base64
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
_PAIR = base64.b64encode(b"reader:untold-4b7f91").decode()

_CONFIG = """\
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log info;
events {{ worker_connections 256; }}
http {{
    log_format asked escape=json '$connection\\t$connection_requests\\t$request_method\\t$request_uri\\t$host\\t$http_authorization';
    access_log {folder}/asked.log asked;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


_REGISTRY = """\
server {{
    listen 127.0.0.1:{port}{tls};
    ssl_certificate {folder}/host.pem;
    ssl_certificate_key {folder}/host.pem;
    default_type text/html;
    if ($http_authorization != "Basic {pair}") {{ return 401; }}
    location / {{ return 200 "<!DOCTYPE html><body></body>"; }}
}}
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as nginx understood it."""

    connection: str
    number: int
    method: str
    path: str
    host: str
    is_reader: bool


@dataclass(frozen=True, slots=True)
class Nginx:
    """One that listens on `localhost`, as `scheme` says.

    Attributes:
        folder: Its files.
        port: TCP.
        scheme: `http` or `https`.
    """

    folder: Path
    port: int
    scheme: str

    @property
    def place(self) -> str:
        """Host and port."""
        return f"localhost:{self.port}"

    @property
    def with_credentials(self) -> str:
        """The part of it that has packages, as an operator writes it."""
        return f"{self.scheme}://reader:untold-4b7f91@{self.place}/simple"

    @property
    def trust(self) -> Path:
        """File with the certificate that it shows."""
        return self.folder / "host.pem"

    def asked(self) -> list[Asked]:
        """Return what it was asked, in order; it notes a request when that is answered."""
        lines = (self.folder / "asked.log").read_text("utf-8").splitlines()
        return [_asked(*line.split("\t")) for line in lines]


def _asked(connection: str, number: str, method: str, path: str, host: str, who: str) -> Asked:
    return Asked(connection, int(number), method, path, host, who == f"Basic {_PAIR}")


@asynccontextmanager
async def nginx(folder: Path, scheme: str) -> AsyncIterator[Nginx]:
    """Yield one that listens; `PROGRAM` must be there."""
    folder.mkdir()
    (folder / "host.pem").write_bytes(_self_signed())
    tls = " ssl" if scheme == "https" else ""
    site = partial(_REGISTRY.format, folder=folder, tls=tls, pair=_PAIR)
    async with serving(folder, lambda port: site(port=port)) as port:
        yield Nginx(folder, port, scheme)


@asynccontextmanager
async def serving(folder: Path, site: Callable[[int], str]) -> AsyncIterator[int]:
    """Run nginx with one site, made for the port that is yielded."""
    assert PROGRAM is not None
    folder.mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(_CONFIG.format(folder=folder, site=site(port)), "utf-8")
    process = await asyncio.create_subprocess_exec(
        *(
            PROGRAM,
            "-p",
            str(folder),
            "-c",
            str(folder / "nginx.conf"),
            "-e",
            str(folder / "error.log"),
        )
    )
    try:
        async with asyncio.timeout(600):
            await _listening(process, port, folder)
        yield port
    finally:
        process.terminate()
        await process.wait()


async def _listening(process: asyncio.subprocess.Process, port: int, folder: Path) -> None:
    while True:
        assert process.returncode is None, (folder / "error.log").read_text("utf-8")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return


def _self_signed() -> bytes:
    """Return a key and a certificate for `localhost`, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)
