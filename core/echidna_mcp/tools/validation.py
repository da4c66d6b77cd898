"""Arguments against an input schema, with errors that say how to repair the call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.tools.guard import check_json
from echidna_mcp.tools.redaction import Redaction, digest_of
from echidna_mcp.wording import closest, listed

_CHEAP_FIRST = (
    "type",
    "additionalProperties",
    "required",
    "enum",
    "const",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
)
"""Asked in this order: what fails first is what the caller should repair first, and an
array that is too long is refused before its items are looked at."""

_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}


def _pattern(
    validator: Validator, pattern: str, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Match as ECMA 262 does: `$` is the end, not the end or a newline before it."""
    del schema
    if validator.is_type(instance, "string"):
        if pattern.endswith("$") and not pattern.endswith(r"\$"):
            pattern = pattern[:-1] + r"\Z"
        if not re.search(pattern, instance):
            yield ValidationError("does not match the pattern")


_Validator: type[Validator] = extend(  # type: ignore[no-untyped-call]
    Draft7Validator, {"pattern": _pattern}
)


class ArgumentValidator:
    """Checks the arguments of one tool."""

    def __init__(self, spec: ToolSpec) -> None:
        self._tool = spec.name
        self._redaction = Redaction(spec)
        self._validator = _Validator(_ordered(spec.input_schema))

    def check(self, arguments: object) -> dict[str, Any]:
        """Return the arguments as an object that fits the schema; None means `{}`.

        Raises:
            InvalidInputError: names argument, rule, expected and received value.
        """
        if arguments is None:
            arguments = {}
        check_json(arguments)
        checked: Any = arguments
        error = next(self._validator.iter_errors(checked), None)
        if error is not None:
            raise self._refusal(error)
        if not isinstance(arguments, dict):  # a schema that is not closed to objects
            raise InvalidInputError(
                f"The arguments of {self._tool} must be an object.",
                path="",
                rule="type",
                expected="an object",
            )
        return arguments

    def _refusal(self, error: ValidationError) -> InvalidInputError:
        rule = str(error.validator)
        path = _path(error.absolute_path)
        expected = _expected(error)
        got = self._shown(error)
        where = f"Argument {path!r} of {self._tool}" if path else self._tool
        unknown = _unknown(error) if rule == "additionalProperties" else None
        if rule == "required":
            name = _missing(error)
            path = _path([*error.absolute_path, name])
            message = f"{where} needs {name!r}: {expected}."
        elif unknown is not None:
            path = _path([*error.absolute_path, unknown])
            hint = _similar(error, unknown)
            message = f"{where} takes no {shown(unknown)}{hint}; it takes {expected}."
        else:
            subject = f"{where} is" if path else f"The arguments of {where} are"
            message = f"{subject} wrong: expected {expected}, got {got}."
        return InvalidInputError(
            message, path=path, rule=rule, expected=expected, got=got
        )

    def _shown(self, error: ValidationError) -> str:
        if self._redaction.hides(list(error.absolute_path)) and not isinstance(
            error.instance, Mapping
        ):
            digest = digest_of(error.instance)
            return f"{digest['size']} bytes with the SHA-256 {digest['sha256']}"
        return shown(error.instance)


def _ordered(schema: Any) -> Any:
    """Return an equal schema whose keywords are asked in a useful order."""
    if isinstance(schema, list):
        return [_ordered(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    rank = {key: index for index, key in enumerate(_CHEAP_FIRST)}
    keys = sorted(schema, key=lambda key: rank.get(key, len(rank)))
    return {key: _ordered(schema[key]) for key in keys}


def _path(parts: Iterable[str | int]) -> str:
    texts = [
        f"[{part}]" if isinstance(part, int) else f".{clean(part)}" for part in parts
    ]
    return "".join(texts).removeprefix(".")


def _schema(error: ValidationError) -> Mapping[str, Any]:
    schema: Any = error.schema
    return schema if isinstance(schema, Mapping) else {}


def _properties(error: ValidationError) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = _schema(error).get("properties", {})
    return properties


def _missing(error: ValidationError) -> str:
    """Return the first required property that is absent."""
    required: Any = error.validator_value
    given: Any = error.instance
    return next(str(name) for name in required if name not in given)


def _unknown(error: ValidationError) -> str | None:
    """Return the first property that the schema does not have."""
    given: Any = error.instance
    return next((name for name in given if name not in _properties(error)), None)


def _similar(error: ValidationError, unknown: str) -> str:
    close = closest(clean(unknown), _properties(error), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _expected(error: ValidationError) -> str:  # noqa: PLR0911 - one for each rule
    """Return what the schema wants where the error is."""
    schema = _schema(error)
    value: Any = error.validator_value
    match error.validator:
        case "required":
            return _described(_properties(error).get(_missing(error), {}))
        case "additionalProperties":
            return listed(list(_properties(error))) or "none"
        case "anyOf" if all(set(branch) == {"required"} for branch in value):
            names = [" and ".join(branch["required"]) for branch in value]
            return f"at least one of {listed(names, 'or')}"
        case "type":
            return _described(schema)
        case "enum":
            return f"one of {clean(', '.join(json.dumps(item) for item in value))}"
        case "pattern":
            return f"text that matches {value}{_about(schema)}"
        case "minItems" | "maxItems":
            return f"{_range(schema, 'minItems', 'maxItems')} items"
        case "minLength" | "maxLength":
            return f"{_range(schema, 'minLength', 'maxLength')} characters"
        case "minimum" | "maximum":
            return f"a number ({_range(schema, 'minimum', 'maximum')})"
        case rule:
            return f"{rule} {clean(json.dumps(value))}{_about(schema)}"


def _described(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    text = listed([_TYPES[name] for name in names], "or") or "a value"
    return text + _about(schema)


def _range(schema: Mapping[str, Any], low: str, high: str) -> str:
    if low in schema and high in schema:
        return f"{schema[low]} to {schema[high]}"
    if low in schema:
        return f"at least {schema[low]}"
    return f"at most {schema[high]}"


def _about(schema: Any) -> str:
    """Return description and first example of a schema, in brackets."""
    if not isinstance(schema, Mapping):
        return ""
    parts = [str(schema["description"])] if "description" in schema else []
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        parts.append(f"for example {shown(examples[0])}")
    return f" ({'; '.join(parts)})" if parts else ""
