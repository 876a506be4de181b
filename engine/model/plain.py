"""Plain values as bytes: numbers, texts, lists and tuples, read back by a reader that accepts nothing else.

So what is kept can neither run code nor depend on how operators are written.
"""

import io
import pickle
import zlib
from typing import Any

from engine.model.errors import InternalError


class PlainReader(pickle.Unpickler):
    """Reads values; refuses everything that would import a name."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        message = f"a snapshot may not name {module_name}.{global_name}"
        raise InternalError(message)


def plain_bytes(value: Any) -> bytes:
    return zlib.compress(pickle.dumps(value, protocol=5), level=1)


def plain_value(body: bytes) -> Any:
    return PlainReader(io.BytesIO(zlib.decompress(body))).load()
