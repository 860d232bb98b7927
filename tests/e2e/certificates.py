"""Certificates for tests of TLS: an authority, and who it vouches for."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_HERE = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]


@dataclass(frozen=True)
class Pair:
    """The files of a certificate and of its key."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates, which are written into a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        own = self._builder(self._name, self._key.public_key()).add_extension(constraints, critical=True)
        self.file = self._write(name, own)

    def server(self, name: str) -> Pair:
        """Of a service on this machine."""
        return self._issue(name, ExtendedKeyUsageOID.SERVER_AUTH, x509.SubjectAlternativeName(_HERE))

    def client(self, name: str) -> Pair:
        """Of a worker or a person."""
        return self._issue(name, ExtendedKeyUsageOID.CLIENT_AUTH, x509.SubjectAlternativeName([x509.DNSName(name)]))

    def _issue(self, name: str, use: x509.ObjectIdentifier, names: x509.SubjectAlternativeName) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._builder(subject, key.public_key()).add_extension(names, critical=False)
        certificate = self._write(name, made.add_extension(x509.ExtendedKeyUsage([use]), critical=False))
        file = self._folder / f"{name}-key.pem"
        file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return Pair(certificate, file)

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )

    def _write(self, name: str, made: x509.CertificateBuilder) -> Path:
        file = self._folder / f"{name}.pem"
        file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        return file
