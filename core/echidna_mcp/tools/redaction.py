"""Values that may be used but not recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from echidna_mcp.contracts.toolspec import ToolSpec


class Redaction:
    """Hides what may not be recorded of the arguments and the result of a tool.

    If it may not record one argument, it records none that the tool does not have: what
    is misspelt is still what it is.

    Args:
        spec: says which members are not recorded.
    """

    def __init__(self, spec: ToolSpec) -> None:
        self._names = frozenset(spec.redacted)
        known = spec.input_schema.get("properties", {})
        self._arguments = frozenset(known) - self._names

    def of_arguments(self, arguments: object) -> object:
        """Return what may be recorded of arguments; the same object if that is all."""
        if not self._names or arguments is None:
            return arguments
        if not isinstance(arguments, Mapping):
            return {"arguments": digest_of(arguments)}
        return _replaced(arguments, lambda name: name not in self._arguments)

    def of_result(self, content: object) -> object:
        """Return what may be recorded of a result; the same object if that is all."""
        if not isinstance(content, Mapping):
            return content
        return _replaced(content, lambda name: name in self._names)

    def hides(self, path: Sequence[str | int]) -> bool:
        """Whether what stands at a path of the arguments may not be recorded."""
        return bool(self._names) and (not path or path[0] not in self._arguments)


def _replaced(
    value: Mapping[str, object], hidden: Callable[[str], bool]
) -> Mapping[str, object]:
    if not any(hidden(key) for key in value):
        return value
    return {
        key: digest_of(item) if hidden(key) else item for key, item in value.items()
    }


def digest_of(value: Any) -> dict[str, Any]:
    """Return what is recorded instead of a value: its SHA-256 and its size in bytes.

    Text is taken as UTF-8, any other JSON value as its text.
    """
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    data = text.encode("utf-8", "surrogatepass")
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
