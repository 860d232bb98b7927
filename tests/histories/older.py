"""An older shape of an event, as an example of how a shape is left behind: once, a laid tile was two plain numbers.

The message of that day is built here from a description of its own, because the generated code knows today's shape
only. Its upcaster is what a game's package would have beside its codec.
"""

from dataclasses import replace
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from meydan.domino.v1 import domino_pb2
from services.registry import load
from shared.envelope import Envelope
from shared.game import AnyGame

OLDER_TYPE = "meydan.domino.v1.TileLaid"


def _older_message() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="older_tile_laid.proto", package="older", syntax="proto3")
    message = file.message_type.add(name="TileLaid")
    for number, name in enumerate(("seat", "low", "high", "end"), 1):
        message.field.add(
            name=name,
            number=number,
            type=descriptor_pb2.FieldDescriptorProto.TYPE_UINT32,
            label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
        )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("older.TileLaid"))


OlderTileLaid = _older_message()


def as_older(envelope: Envelope) -> Envelope:
    """The event as it was written in those days."""
    laid = domino_pb2.TileLaid.FromString(envelope.public)
    _, low, high = domino_pb2.Tile.Name(laid.tile).split("_")
    older = OlderTileLaid(seat=laid.seat, low=int(low), high=int(high), end=int(laid.end))
    return envelope._replace(schema_version=1, public=older.SerializeToString())


def upcast_tile_laid(envelope: Envelope) -> Envelope:
    """From version 1, with two numbers, to version 2, with the name of a tile."""
    older = OlderTileLaid.FromString(envelope.public)
    tile = domino_pb2.Tile.Value(f"TILE_{older.low}_{older.high}")
    public = domino_pb2.TileLaid(seat=older.seat, tile=tile, end=older.end)
    return envelope._replace(schema_version=2, public=public.SerializeToString())


def game_that_moved_on() -> AnyGame:
    """Domino, if its laid tiles had once been written otherwise."""
    return replace(load("domino"), upcasters={(OLDER_TYPE, 1): upcast_tile_laid})
