"""Dialects: the forms in which contract documents of tools are written.

A dialect knows its own rules and reads a document that obeys them into a `ToolSpec`,
with everything that clients are to see. It is needed where documents are read, by the
generator of code and by `echidna-mcp contracts check`; a server needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import ContractDocumentError
from echidna_mcp.wording import closest, did_you_mean

Document: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices on the way from a document to a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that a document breaks.

    Attributes:
        pointer: where, as a JSON pointer (RFC 6901); empty for the whole document.
        message: a sentence: what is wrong, and what to write instead.
        is_error: it is against the dialect; otherwise only against good style.
    """

    pointer: str
    message: str
    is_error: bool = True

    def __str__(self) -> str:
        """Return it in a line, without the name of the file."""
        return f"{self.pointer or 'document'}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A form of contract documents, as `register_dialects` offers it.

    Attributes:
        name: as `--dialect` says it.
        title: how people call it.
        is_meant: whether a JSON object is meant as a document of this dialect, be it
            right or wrong.
        check: yields what is wrong with a document, in order of the document.
        read: returns the tool that a document without errors describes.
    """

    name: str
    title: str
    is_meant: Callable[[Document], bool]
    check: Callable[[Document], Iterable[Finding]]
    read: Callable[[Document], ToolSpec]

    def parse(self, document: Document, source: str) -> ToolSpec:
        """Return the tool that a document describes.

        Args:
            document: with every `$ref` inside itself.
            source: where it comes from, for messages.

        Raises:
            ContractDocumentError: it breaks a rule; names document, place and rule.
        """
        for finding in self.check(document):
            if finding.is_error:
                raise ContractDocumentError(f"{source}: {finding}")
        return self.read(document)


def pointer(path: Iterable[str | int]) -> str:
    """Return a path as a JSON pointer (RFC 6901)."""
    return "".join(
        f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path
    )


def error(place: Place, message: str) -> Finding:
    """Return a finding that is against the dialect."""
    return Finding(pointer=pointer(place), message=message)


def warning(place: Place, message: str) -> Finding:
    """Return a finding that is only against good style."""
    return Finding(pointer=pointer(place), message=message, is_error=False)


def unknown_fields(
    part: Mapping[str, Any], fields: Sequence[str], place: Place, kind: str
) -> Iterator[Finding]:
    """Yield a warning for each key that is no field of such a part.

    Args:
        part: of a document.
        fields: names of what it may have.
        place: where it stands.
        kind: what it is, with its article.
    """
    for key in part:
        if key not in fields:
            hint = did_you_mean(closest(str(key), fields, 1), "leave it out.")
            yield warning((*place, key), f"is no field of {kind}; {hint}")


def dialect_of(document: Document, dialects: Sequence[Dialect]) -> Dialect | None:
    """Return the one dialect that a document is meant for; None if that is unclear."""
    meant = [dialect for dialect in dialects if dialect.is_meant(document)]
    return meant[0] if len(meant) == 1 else None
