"""Strategies for requests that are well-formed and make no sense, made from the messages' own descriptors."""

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf import message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

_DEEPEST = 4
_NUMBERS = (0, 1, 2, 3, 5, 7, 40, 64, 100, 1000, 2**31 - 1)
_LIMITS: dict[int, tuple[int, int]] = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
_TEXTS = (
    "",
    "\0",
    "Ω",
    "\u202e",
    "0-0 left",
    "6-6 right",
    "5-6 left",
    "greedy",
    "create",
    "a" * 64,
    "a" * 300,
    "{",
    "(",
)


class Absurd:
    """Strategies in which ids and keys that exist are mixed into everything."""

    def __init__(self, real_texts: Sequence[str], packed: Sequence[Message]) -> None:
        self._texts = st.one_of(st.sampled_from([*real_texts, *_TEXTS]), st.text(max_size=12))
        self._packed = packed

    def message(self, descriptor: Descriptor, depth: int = 0) -> st.SearchStrategy[Message]:
        """Any message of a type: each field may be left out, and of a oneof the last one set counts."""
        kind = message_factory.GetMessageClass(descriptor)
        if descriptor.full_name == "google.protobuf.Any":
            return self._any()
        fields = {field.name: self._field(field, depth) for field in descriptor.fields}
        return st.fixed_dictionaries({}, optional=fields).map(lambda values: _filled(kind, values))

    def _any(self) -> st.SearchStrategy[Message]:
        real = st.sampled_from(self._packed).map(_pack)
        name = st.sampled_from([message.DESCRIPTOR.full_name for message in self._packed])
        mixed = st.builds(
            lambda prefix, kind, value: AnyMessage(type_url=prefix + kind, value=value),
            st.sampled_from(("type.googleapis.com/", "", "/", "Ω/")),
            st.one_of(name, st.text(max_size=6)),
            st.binary(max_size=12),
        )
        return st.one_of(real, mixed)

    def _field(self, field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
        one = self._value(field, depth)
        return st.lists(one, max_size=6) if field.is_repeated else one

    def _value(self, field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            assert field.message_type is not None
            if depth >= _DEEPEST:
                return st.just(message_factory.GetMessageClass(field.message_type)())
            return st.deferred(_later(self.message, field.message_type, depth + 1))
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            return st.binary(max_size=40) if field.type == FieldDescriptor.TYPE_BYTES else self._texts
        if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
            return st.booleans()
        least, most = _LIMITS[field.cpp_type]
        return st.one_of(st.sampled_from((*_NUMBERS, least, most, most - 1)), st.integers(least, most))


def _later(
    build: Callable[[Descriptor, int], st.SearchStrategy[Message]], descriptor: Descriptor, depth: int
) -> Callable[[], st.SearchStrategy[Message]]:
    return lambda: build(descriptor, depth)


def _pack(message: Message) -> Message:
    wrapped = AnyMessage()
    wrapped.Pack(message)
    return wrapped


def _filled(kind: type[Message], values: dict[str, Any]) -> Message:
    message = kind()
    for name, value in values.items():
        if isinstance(value, list):
            getattr(message, name).extend(value)
        elif isinstance(value, Message):
            getattr(message, name).CopyFrom(value)
        else:
            setattr(message, name, value)
    return message
