"""TLS by configuration: what services listen with, and what workers and the command line connect with."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import structlog

from shared.settings import Settings

log = structlog.get_logger(__name__)

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class BadTls(ValueError):
    """Settings that do not make a connection."""


def server_credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """What a service shows, and what it wants of its clients; None where nothing is configured."""
    pair = _pair("MEYDAN_TLS", settings.tls_certificate, settings.tls_key)
    if pair is None:
        if settings.tls_client_ca is not None:
            raise BadTls("MEYDAN_TLS_CLIENT_CA needs MEYDAN_TLS_CERTIFICATE and MEYDAN_TLS_KEY.")
        return None
    certificate, key = pair
    authority = None if settings.tls_client_ca is None else _authority(settings.tls_client_ca)
    return grpc.ssl_server_credentials(
        [(key, certificate)], root_certificates=authority, require_client_auth=authority is not None
    )


def listen(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None) -> int:
    """Opens the port, and answers its number."""
    if credentials is not None:
        return server.add_secure_port(address, credentials)
    if not address.startswith(_LOOPBACK):
        log.warning("listening_without_tls", address=address)
    return server.add_insecure_port(address)


def channel(address: str, settings: Settings, options: tuple[tuple[str, int], ...] = ()) -> grpc.Channel:
    """A connection to a service."""
    credentials = client_credentials(settings)
    if credentials is None:
        return grpc.insecure_channel(address, options)
    return grpc.secure_channel(address, credentials, options)


def client_credentials(settings: Settings) -> grpc.ChannelCredentials | None:
    """What services are known by, and what is shown to them; None where nothing is configured."""
    pair = _pair("MEYDAN_TLS_CLIENT", settings.tls_client_certificate, settings.tls_client_key)
    if settings.tls_ca is None:
        if pair is not None:
            raise BadTls("MEYDAN_TLS_CLIENT_CERTIFICATE needs MEYDAN_TLS_CA.")
        return None
    certificate, key = (None, None) if pair is None else pair
    return grpc.ssl_channel_credentials(_authority(settings.tls_ca), key, certificate)


def _pair(name: str, certificate: Path | None, key: Path | None) -> tuple[bytes, bytes] | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise BadTls(f"{name}_CERTIFICATE and {name}_KEY are needed together.")
    pair = _read(certificate), _read(key)
    # gRPC would only say that it can't open the port.
    with _or_bad(f"{certificate} and {key} are not a certificate and its key."):
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    return pair


def _authority(file: Path) -> bytes:
    data = _read(file)
    with _or_bad(f"{file} has no certificate in it."):
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    return data


@contextmanager
def _or_bad(sentence: str) -> Iterator[None]:
    try:
        yield
    except ssl.SSLError:
        raise BadTls(sentence) from None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadTls(f"{file} can't be read: {error.strerror}.") from None
