"""Whether a service is well: `python -m deploy.health 127.0.0.1:50551` ends with 0 if it is, else with 1.

A service other than a game's is named behind the address.
"""

import sys
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from shared import tls
from shared.settings import Settings

SERVICE = "meydan.match.v1.MatchService"
_SECONDS = 3.0


def is_serving(address: str, settings: Settings, service: str = SERVICE) -> bool:
    """Serving means that moves can be accepted; a service that does not answer is not serving."""
    with tls.channel(address, settings) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=_SECONDS)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


if __name__ == "__main__":
    sys.exit(0 if is_serving(sys.argv[1], Settings(), *sys.argv[2:]) else 1)
