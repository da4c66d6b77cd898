"""Names of layers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from echidna_mcp_plugins.editor.unity.documents import Documents, sequence, text
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

PATH: Final = "ProjectSettings/TagManager.asset"

_COUNT: Final = 32
# Unity's own; the others are the project's.
_DEFAULT: Final = ("Default", "TransparentFX", "Ignore Raycast", "", "Water", "UI")
# Unity 4 had a field for each layer.
_FIELD: Final = re.compile(r"(?:Builtin|User) Layer ([0-9]{1,2})\Z")


@dataclass(frozen=True, slots=True)
class Layers:
    """The 32 layers of a project; a name is empty where a layer has none."""

    names: Sequence[str] = _DEFAULT + ("",) * (_COUNT - len(_DEFAULT))

    def name(self, number: int) -> str:
        """Return the name of a layer; its number as text if it has none."""
        known = self.names[number] if 0 <= number < len(self.names) else ""
        return known or str(number)

    def number(self, layer: str) -> int:
        """Return the number of a layer that is given by name or number.

        Raises:
            UnityProjectError: the project has no such layer.
        """
        if layer in self.names and layer:
            return self.names.index(layer)
        if re.fullmatch("[0-9]{1,2}", layer) and int(layer) < _COUNT:
            return int(layer)
        known = ", ".join(repr(name) for name in self.names if name)
        raise UnityProjectError(
            "validation",
            f"{layer[:80]!r} is no layer; give one of {known}, or a number from 0 to "
            f"{_COUNT - 1}.",
        )


def read_layers(documents: Documents) -> Layers:
    """Return the layers that the tag manager names."""
    names = [""] * _COUNT
    for document in documents:
        listed = [text(each) for each in sequence(document.fields.get("layers"))]
        names[: len(listed[:_COUNT])] = listed[:_COUNT]
        for key, value in document.fields.items():
            if (found := _FIELD.match(key)) and int(found[1]) < _COUNT:
                names[int(found[1])] = text(value)
    return Layers(tuple(names))
