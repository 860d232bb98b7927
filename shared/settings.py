"""Everything that can be set, by environment variables that begin with MEYDAN_. docs/settings.md is made from this."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """The settings of every process of the platform."""

    model_config = SettingsConfigDict(env_prefix="MEYDAN_", extra="ignore")

    redis_url: str = Field(default="", description="Redis for the logs. Empty: an embedded server is started.")
    broker_url: str = Field(
        default="",
        description="Redis for Celery: never a cluster, no fsync needed. Empty: an embedded server is started.",
    )
    data_dir: Path = Field(default=Path(".meydan"), description="Where an embedded server keeps its data.")
    signing_key: Path | None = Field(
        default=None, description="PEM file of the Ed25519 key that signs logs and receipts. Only services need it."
    )
    token_key: Path | None = Field(
        default=None, description="PEM file of the Ed25519 key that signs tokens; the same in services and workers."
    )
    token_keys: Path | None = Field(
        default=None,
        description="JSON Web Key Set of others whose tokens of organisers, players and watchers are trusted.",
    )
    import_keys: Path | None = Field(
        default=None,
        description="Keys as `meydan keys --json` prints them, of platforms whose exported tournaments are imported.",
    )
    token_seconds: int = Field(
        default=7 * 24 * 3600, ge=1, description="How long tokens of seats and spectators are good."
    )
    token: SecretStr = Field(
        default=SecretStr(""),
        description="What the command line calls with. Empty: a development token, if `make up` has left its key here.",
    )
    listen: str = Field(default="127.0.0.1", description="The address that services listen on.")
    tls_certificate: Path | None = Field(
        default=None, description="PEM file of a service's certificate. Empty: services speak without TLS."
    )
    tls_key: Path | None = Field(default=None, description="PEM file of the key of that certificate.")
    tls_client_ca: Path | None = Field(
        default=None, description="PEM file of the authority of clients' certificates: without one, nobody connects."
    )
    tls_ca: Path | None = Field(
        default=None, description="PEM file of the authority of services' certificates, for workers and command line."
    )
    tls_client_certificate: Path | None = Field(
        default=None, description="PEM file of the certificate of workers and command line, where services ask for it."
    )
    tls_client_key: Path | None = Field(default=None, description="PEM file of the key of that certificate.")
    ports: dict[str, int] = Field(
        default={},
        description="The port of a service, by game or `tournament`, where it is not the registry's; 0: any free one.",
    )
    addresses: dict[str, str] = Field(
        default={},
        description="Where a service is found, by game or `tournament`, if it is not at its port on this machine.",
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    metrics_port: int = Field(
        default=0,
        ge=0,
        description="Where a process serves its metrics; 0: nowhere. `make up` takes ports from this one on.",
    )
    metrics_listen: str = Field(default="127.0.0.1", description="The address that metrics are served on.")
    traces_endpoint: str = Field(
        default="",
        description="Where traces go, by OTLP over gRPC, such as `http://127.0.0.1:4317`. Empty: none are made.",
    )
    live_matches: int = Field(
        default=20_000, ge=1, description="Matches that a service keeps in memory; others are loaded again."
    )
    patience_seconds: float = Field(
        default=10.0, gt=0, description="How long a call waits for Redis before it gives up."
    )
    open_matches: int = Field(default=10_000, ge=1, description="Matches that one organiser may have going on.")
    connection_streams: int = Field(default=1_000, ge=1, description="Streams that one connection may have open.")
    match_watchers: int = Field(
        default=10_000, ge=1, description="Streams of one service that may follow one match at a time."
    )
    sweep_seconds: float = Field(default=0.5, gt=0, description="How often a service looks for clocks that ran out.")
    stop_seconds: float = Field(default=10.0, gt=0, description="How long a stopping service lets calls finish.")
    resend_seconds: float = Field(
        default=30.0, gt=0, description="Work that is not done after this time is sent again."
    )
    thinking_seconds: float = Field(
        default=5.0, gt=0, description="A computer player that has searched for so long moves, whatever its budget."
    )
    worker_processes: int = Field(default=2, ge=1, description="Processes of one worker.")
    ready_file: Path | None = Field(default=None, description="A service writes its address here when it is ready.")
