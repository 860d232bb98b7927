"""Everything that can be set, by environment variables that begin with MEYDAN_. docs/settings.md is made from this."""

from pathlib import Path

from pydantic import Field
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
    secret: str = Field(
        default="", description="The secret that seat keys are made from; the same in all processes. Never logged."
    )
    listen: str = Field(default="127.0.0.1", description="The address that services listen on.")
    ports: dict[str, int] = Field(
        default={},
        description="The port of a game's service, by game, where it is not the registry's; 0: any free one.",
    )
    addresses: dict[str, str] = Field(
        default={}, description="Where a game's service is found, by game, if it is not at its port on this machine."
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    live_matches: int = Field(
        default=20_000, ge=1, description="Matches that a service keeps in memory; others are loaded again."
    )
    patience_seconds: float = Field(
        default=10.0, gt=0, description="How long a call waits for Redis before it gives up."
    )
    stop_seconds: float = Field(default=10.0, gt=0, description="How long a stopping service lets calls finish.")
    resend_seconds: float = Field(
        default=30.0, gt=0, description="Work that is not done after this time is sent again."
    )
    worker_processes: int = Field(default=2, ge=1, description="Processes of one worker.")
    ready_file: Path | None = Field(default=None, description="A service writes its address here when it is ready.")
