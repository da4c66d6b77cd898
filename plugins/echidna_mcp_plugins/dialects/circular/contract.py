"""The rules of a contract.

The root is the draft-07 schema of the arguments, called like the tool. Beside it stand
`output`, `errors` and `notes`, which are no schema keywords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from echidna_mcp.contracts.dialect import (
    Document,
    Finding,
    Place,
    error,
    unknown_fields,
    warning,
)
from echidna_mcp.contracts.document import misfits, wrong_with_schema
from echidna_mcp.tools.display import shown
from echidna_mcp.wording import closest, did_you_mean, listed

STATUS: Final[Mapping[str, int]] = {
    "API_UNAVAILABLE": 503,
    "NETWORK_ERROR": 503,
    "INVALID_INPUT": 400,
    "INVALID_ADDRESS": 400,
    "INVALID_SIGNATURE": 400,
    "INSUFFICIENT_BALANCE": 402,
    "NONCE_MISMATCH": 400,
    "RATE_LIMIT": 429,
    "TRANSACTION_TIMEOUT": 504,
    "TRANSACTION_FAILED": 400,
}
"""The types of errors and their status (requirement: common error types)."""

BESIDE: Final = ("output", "errors", "notes")
"""Keys of a contract that are no part of the schema of the arguments."""

REDACT: Final = "x-redact"
"""Keyword of a property of which nothing is recorded but hash and size."""

_DRAFT: Final = re.compile(r"https?://json-schema\.org/draft-07/schema#?")
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_ERROR_FIELDS: Final = ("type", "status_code", "message", "retry", "retry_suggestion")


def check(document: Document) -> Iterator[Finding]:
    """Yield what is wrong with a contract, part by part."""
    yield from _check_head(document)
    schema = arguments_of(document)
    wrong = list(wrong_with_schema(schema, ()))
    wrong += _check_object(schema, (), closed=True)
    yield from wrong
    if not wrong:
        yield from _check_examples(document, schema)
    yield from _check_output(document)
    yield from _check_errors(document)
    yield from _check_notes(document)


def arguments_of(document: Document) -> dict[str, Any]:
    """Return the schema of the arguments, without what stands beside it."""
    return {key: value for key, value in document.items() if key not in BESIDE}


def _check_head(document: Document) -> Iterator[Finding]:
    draft = document.get("$schema")
    if not isinstance(draft, str) or not _DRAFT.fullmatch(draft):
        yield error(("$schema",), "must be 'http://json-schema.org/draft-07/schema#'.")
    title = document.get("title")
    if not isinstance(title, str) or not _NAME.fullmatch(title):
        yield error(
            ("title",),
            "must be the name of the tool, lower-case words with underscores, such as "
            "certify_data.",
        )
    yield from _check_description(document, ())


def _check_object(
    schema: Mapping[str, Any], place: tuple[str, ...], *, closed: bool
) -> Iterator[Finding]:
    if schema.get("type") != "object":
        yield error((*place, "type"), "must be 'object'.")
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        yield error((*place, "properties"), "must be there, an object.")
        properties = {}
    for name, part in properties.items():
        yield from _check_property(part, (*place, "properties", name))
    yield from _check_required(schema.get("required"), properties, place)
    if closed and schema.get("additionalProperties") is not False:
        yield error((*place, "additionalProperties"), "must be there and be false.")


def _check_property(part: Any, place: tuple[str, ...]) -> Iterator[Finding]:
    if not isinstance(part, Mapping):
        yield error(place, "must be an object with 'type' and 'description'.")
        return
    if not {"type", "enum", "const", "$ref"} & part.keys():
        yield error(place, "has no 'type'; add it.")
    yield from _check_description(part, place)
    if not isinstance(part.get(REDACT, False), bool):
        yield error((*place, REDACT), "must be true or false.")
    inner = {key: value for key, value in part.items() if key != REDACT}
    if _mentions(inner, REDACT):
        yield error(
            place,
            f"has {REDACT!r} inside, which has no effect there; mark the whole "
            "property with it.",
        )


def _mentions(value: Any, key: str) -> bool:
    if isinstance(value, Mapping):
        return key in value or any(_mentions(each, key) for each in value.values())
    return isinstance(value, list) and any(_mentions(each, key) for each in value)


def _check_required(
    required: Any, properties: Mapping[str, Any], place: tuple[str, ...]
) -> Iterator[Finding]:
    if not isinstance(required, list):
        yield error(
            (*place, "required"),
            "must be there, a list of names; [] if all may be absent.",
        )
    else:
        for index, name in enumerate(required):
            if not isinstance(name, str) or name not in properties:
                hint = did_you_mean(
                    closest(str(name), properties, 1), "add it there or leave it out."
                )
                yield error(
                    (*place, "required", index), f"{name!r} is no property; {hint}"
                )


def _check_description(
    schema: Mapping[str, Any], place: tuple[str, ...]
) -> Iterator[Finding]:
    text = schema.get("description")
    if not isinstance(text, str) or not text.strip():
        yield error((*place, "description"), "must be there and say what it is.")


def _check_examples(document: Document, schema: Mapping[str, Any]) -> Iterator[Finding]:
    examples = document.get("examples")
    if not isinstance(examples, list) or not examples:
        yield error(("examples",), "must be a list with one set of arguments or more.")
        return
    for index, example in enumerate(examples):
        yield from misfits(example, schema, ("examples", index))


def _check_output(document: Document) -> Iterator[Finding]:
    output = document.get("output")
    if not isinstance(output, Mapping):
        yield error(("output",), "must be there, the schema of the result.")
        return
    wrong = list(wrong_with_schema(output, ("output",)))
    yield from wrong
    if not wrong:
        yield from _check_object(output, ("output",), closed=False)


def _check_errors(document: Document) -> Iterator[Finding]:
    errors = document.get("errors")
    if not isinstance(errors, list) or not errors:
        yield error(("errors",), "must be a list of the errors of the tool.")
        return
    for index, failure in enumerate(errors):
        place = ("errors", index)
        if not isinstance(failure, Mapping):
            yield error(
                place, "must be an object with 'type', 'status_code' and 'message'."
            )
            continue
        yield from _check_error(failure, place)
    if not any(
        isinstance(failure, Mapping) and failure.get("type") == "API_UNAVAILABLE"
        for failure in errors
    ):
        yield warning(
            ("errors",),
            "lacks 'API_UNAVAILABLE', with which each tool can fail; add it.",
        )


def _check_error(failure: Mapping[str, Any], place: Place) -> Iterator[Finding]:
    kind, status = failure.get("type"), failure.get("status_code")
    if not isinstance(kind, str) or kind not in STATUS:
        yield error(
            (*place, "type"),
            f"{shown(kind)} is no type of error; choose from {listed(list(STATUS))}.",
        )
    elif status != STATUS[kind] or isinstance(status, bool):
        yield error((*place, "status_code"), f"must be {STATUS[kind]}, that of {kind}.")
    message = failure.get("message")
    if not isinstance(message, str) or not message.strip():
        yield error((*place, "message"), "must be there and say what went wrong.")
    retry, suggestion = failure.get("retry"), failure.get("retry_suggestion")
    if not isinstance(retry, bool):
        yield error((*place, "retry"), "must be there and be true or false.")
    if suggestion is not None and (
        not isinstance(suggestion, str) or not suggestion.strip()
    ):
        yield error((*place, "retry_suggestion"), "must be text, or be left out.")
    if retry is True and suggestion is None:
        yield warning(place, "may be tried again; say when in 'retry_suggestion'.")
    yield from unknown_fields(failure, _ERROR_FIELDS, place, "an error")


def _check_notes(document: Document) -> Iterator[Finding]:
    notes = document.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(each, str) for each in notes):
        yield error(("notes",), "must be a list of texts.")
