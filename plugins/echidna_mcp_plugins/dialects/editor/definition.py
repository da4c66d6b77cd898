"""The rules of a definition as a whole, each checked where its field stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from echidna_mcp.contracts.dialect import (
    Document,
    Finding,
    error,
    unknown_fields,
    warning,
)
from echidna_mcp.tools.principal import TIERS
from echidna_mcp.wording import listed
from echidna_mcp_plugins.dialects.editor.examples import check_examples
from echidna_mcp_plugins.dialects.editor.inputs import check_inputs
from echidna_mcp_plugins.dialects.editor.outputs import check_outputs

CATEGORIES: Final = ("mcp.platform", "project", "scene", "asset", "audio", "editor")
SAFETY_LEVELS: Final = ("read-only", "safe-write", "destructive")

_TEXTS: Final = ("id", "name", "description", "category", "safetyLevel", "tier")
_FIELDS: Final = (*_TEXTS, "inputs", "outputs", "notes", "examples", "schemaVersion")
_ID: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+")
_SENTENCE: Final = re.compile(r"[.!?](?=\s|$)")
_SMALL_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into"),
        *("nor", "of", "on", "onto", "or", "the", "to", "via", "with"),
    )
)
_LONG_NAME: Final = 50
_MOST_SENTENCES: Final = 3


def check(document: Document) -> Iterator[Finding]:
    """Yield what is wrong with a definition, field by field (facts: validation rules).

    Rules that need a field which is itself wrong are not asked.
    """
    yield from _check_presence(document)
    for key, rules in _RULES.items():
        value = document.get(key)
        if isinstance(value, str) and value.strip():
            yield from rules(value, document)
    for key, parts in (("inputs", check_inputs), ("outputs", check_outputs)):
        if isinstance(document.get(key), Mapping):
            yield from parts(document[key])
    yield from _check_notes(document)
    yield from check_examples(document)
    yield from _check_fields(document)


def _check_presence(document: Document) -> Iterator[Finding]:
    for key in _TEXTS:
        if key not in document:
            yield error((), f"{key!r} is missing; add it, as text.")
        elif not isinstance(document[key], str):
            yield error((key,), "must be text in quotes.")
        elif not document[key].strip():
            yield error((key,), "must not be blank; write what it is.")
    for key in ("inputs", "outputs"):
        if key not in document:
            yield error((), f"{key!r} is missing; add it, {{}} if there are none.")
        elif not isinstance(document[key], Mapping):
            yield error((key,), "must be an object of named properties.")


def _check_id(value: str, document: Document) -> Iterator[Finding]:
    if not _ID.fullmatch(value):
        yield error(
            ("id",),
            "must be two or more words of lower-case letters, digits and hyphens with "
            "dots between them, and begin with a letter, such as scene.hierarchy.dump.",
        )
        return
    category = document.get("category")
    if isinstance(category, str) and _is_category(category):
        first, expected = value.split(".", maxsplit=1)[0], category.split(".")[0]
        if first != expected:
            yield warning(
                ("id",),
                f"begins with {first!r} but is in the category {category!r}; begin it "
                f"with {expected!r} or change the category.",
            )


def _check_name(value: str, _document: Document) -> Iterator[Finding]:
    if len(value) >= _LONG_NAME:
        yield warning(
            ("name",), f"has {len(value)} characters; prefer fewer than {_LONG_NAME}."
        )
    wrong = [
        word
        for index, word in enumerate(value.split())
        if word[0].islower() and (index == 0 or word not in _SMALL_WORDS)
    ]
    if wrong:
        better = " ".join(
            word.capitalize() if word in wrong else word for word in value.split()
        )
        yield warning(("name",), f"is not in title case; write {better!r}.")


def _check_description(value: str, _document: Document) -> Iterator[Finding]:
    count = len(_SENTENCE.findall(value.strip()))
    if not count:
        yield warning(("description",), "ends without a full stop; write a sentence.")
    elif count > _MOST_SENTENCES:
        yield warning(
            ("description",),
            f"has {count} sentences; write one to three, and the rest into 'notes'.",
        )


def _check_category(value: str, _document: Document) -> Iterator[Finding]:
    if value != value.lower():
        yield error(("category",), f"must be in lower case: {value.lower()!r}.")
        return
    if not _is_category(value):
        yield error(
            ("category",),
            f"{value!r} is no category; choose from {listed(CATEGORIES, 'or')}, or a "
            "child of one, such as audio.mixer.",
        )


def _is_category(value: str) -> bool:
    first, *rest = re.split(r"\.", value)
    if first == "mcp":
        first, *rest = f"{first}.{rest[0]}" if rest else first, *rest[1:]
    return first in CATEGORIES and all(
        re.fullmatch(r"[a-z0-9-]+", each) for each in rest
    )


def _check_safety_level(value: str, _document: Document) -> Iterator[Finding]:
    if value not in SAFETY_LEVELS:
        yield error(
            ("safetyLevel",), f"{value!r} is unknown; in v0.1 write 'read-only'."
        )
    elif value != SAFETY_LEVELS[0]:
        yield error(
            ("safetyLevel",),
            f"{value!r} is reserved for later versions and not in v0.1; write "
            "'read-only', or leave the tool out.",
        )


def _check_tier(value: str, _document: Document) -> Iterator[Finding]:
    if value not in TIERS:
        yield error(("tier",), f"{value!r} is unknown; in v0.1 write 'core'.")
    elif value != TIERS[0]:
        yield error(
            ("tier",), f"is {value!r}, but tools of v0.1 must be 'core'; write 'core'."
        )


_RULES: Final = {
    "id": _check_id,
    "name": _check_name,
    "description": _check_description,
    "category": _check_category,
    "safetyLevel": _check_safety_level,
    "tier": _check_tier,
}


def _check_notes(document: Document) -> Iterator[Finding]:
    if "notes" in document and not isinstance(document["notes"], str):
        yield error(("notes",), "must be text in quotes.")


def _check_fields(document: Document) -> Iterator[Finding]:
    yield from unknown_fields(document, _FIELDS, (), "a definition")
    version: Any = document.get("schemaVersion", "0.1.0")
    if not isinstance(version, str) or not re.fullmatch(r"0\.1\.\d+", version):
        yield error(("schemaVersion",), "must be a version 0.1.x, such as '0.1.0'.")
