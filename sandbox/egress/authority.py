"""An authority of our own, for the registries that the gate stands for: their TLS ends there."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox.scratch import scratch_folder

_LIVES = timedelta(days=3650)
_LEAF_LIVES = timedelta(days=7)
_EARLIER = timedelta(hours=1)
"""Clocks differ."""

_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


_CRITICAL = (x509.BasicConstraints, x509.KeyUsage)
"""As RFC 5280 has it, which Python insists on from 3.13 on (`ssl.VERIFY_X509_STRICT`)."""


class Authority:
    """Signs certificates that only sandboxes of this process trust; its key is never stored.

    Args:
        environ: The host's environment: whom the operator trusts.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        named = (environ[name] for name in _VARIABLES if environ.get(name))
        self._trusted = next((path for path in named if Path(path).is_file()), None)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name(
            [x509.NameAttribute(NameOID.COMMON_NAME, "Fixpoint's gate to package registries")]
        )
        self._certificate = self._signed(
            self._name,
            self._key.public_key(),
            (x509.BasicConstraints(ca=True, path_length=0), _use(key_cert_sign=True)),
            _LIVES,
        )

    @property
    def bundle(self) -> bytes:
        """Certificates that a sandbox trusts, in PEM: the operator's or this machine's, and ours."""
        candidates = filter(None, (self._trusted, *_BUNDLES))
        there = next((path for path in map(Path, candidates) if path.is_file()), None)
        others = there.read_bytes() if there is not None else b""
        return others.rstrip() + b"\n" + self._certificate.public_bytes(Encoding.PEM)

    def as_host(self, host: str) -> ssl.SSLContext:
        """Return how the gate shows itself in the place of a host."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:64])])
        serves = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        extensions = (_of_host(host), _use(digital_signature=True), serves)
        leaf = self._signed(subject, key.public_key(), extensions, _LEAF_LIVES)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with scratch_folder("host") as folder:  # the module reads files alone
            pem = folder / "host.pem"
            pem.touch(mode=0o600)
            pem.write_bytes(
                key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
                + leaf.public_bytes(Encoding.PEM)
            )
            context.load_cert_chain(pem)
        return context

    def towards_host(self) -> ssl.SSLContext:
        """Return how the real host is checked: as the operator's own programs would."""
        return ssl.create_default_context(cafile=self._trusted)

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey,
        extensions: Sequence[x509.ExtensionType],
        lives: timedelta,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        own = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _EARLIER)
            .not_valid_after(now + lives)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(own, critical=False)
        )
        for extension in extensions:
            certificate = certificate.add_extension(extension, isinstance(extension, _CRITICAL))
        return certificate.sign(self._key, SHA256())


def _use(*, key_cert_sign: bool = False, digital_signature: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _of_host(host: str) -> x509.SubjectAlternativeName:
    try:
        return x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))])
    except ValueError:
        return x509.SubjectAlternativeName([x509.DNSName(host)])
