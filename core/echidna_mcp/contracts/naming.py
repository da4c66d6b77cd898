"""Names of contract documents as Python writes them."""

from __future__ import annotations

import keyword
import re

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """Return `functionSignature` as `function_signature`."""
    return _WORD_START.sub("_", name).lower()


def field_name(json_name: str) -> str:
    """Return the dataclass field that holds a JSON property.

    The generator and the tool service share this rule, so that neither needs aliases.
    """
    name = re.sub(r"\W", "_", snake_case(json_name), flags=re.ASCII)
    if not name or name[0].isdigit() or name.startswith("_"):
        name = f"field_{name.lstrip('_')}"
    return f"{name}_" if keyword.iskeyword(name) else name


def class_name(tool_name: str) -> str:
    """Return `read_logs` as `ReadLogs`, `scene.hierarchy.dump` as `SceneHierarchyDump`.

    Capitals inside a part stay.
    """
    parts = re.split(r"[^a-zA-Z0-9]+", tool_name)
    return "".join(part[:1].upper() + part[1:] for part in parts)


def identifier(tool_name: str) -> str:
    """Return `scene.hierarchy.dump` as `scene_hierarchy_dump`."""
    return re.sub(r"\W", "_", tool_name, flags=re.ASCII)
