"""Messages between processes: a length and a pickled object. Both ends are Treville's own."""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Iterator
from typing import Any

_HEADER = struct.Struct("!Q")
_PIECE = 1 << 20


def send(descriptor: int, message: object) -> None:
    """Write a message; blocks until all of it is taken."""
    view = memoryview(framed(message))
    while view:
        view = view[os.write(descriptor, view) :]


def framed(message: object) -> bytes:
    """A message as it is written."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _HEADER.pack(len(data)) + data


def receive(descriptor: int) -> Any:
    """The next message. Raises `EOFError` when the other end is closed."""
    (length,) = _HEADER.unpack(_exactly(descriptor, _HEADER.size))
    return pickle.loads(_exactly(descriptor, length))


def _exactly(descriptor: int, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = os.read(descriptor, min(_PIECE, length - len(data)))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


class Inbox:
    """Messages that arrive in pieces, for those who may not block."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._data = bytearray()

    def read(self) -> Iterator[Any]:
        """The messages that are complete after one read, which must not block. Raises `EOFError` at the
        end."""
        piece = os.read(self.descriptor, _PIECE)
        if not piece:
            raise EOFError
        self._data += piece
        while len(self._data) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._data)
            end = _HEADER.size + length
            if len(self._data) < end:
                return
            body = bytes(self._data[_HEADER.size : end])
            del self._data[:end]
            yield pickle.loads(body)
