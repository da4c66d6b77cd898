"""Function signatures as agents write them, and the functions that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.lexer import Problem
from echidna_mcp.abi.literals import elementary_type
from echidna_mcp.abi.syntax import MAX_DEPTH, Reader
from echidna_mcp.errors import CallSyntaxError
from echidna_mcp.wording import closest

_ECHO = 1_000
_QUALIFIER = re.compile(
    r"\s*(?P<name>[A-Za-z_$][\w$]*(?:~[0-9]{1,4})?(?:@0x[0-9a-fA-F]{40}|#(?:[0-9]{1,9}|n))?)\s*\."
    r"(?=\s*[A-Za-z_$])"
)


def split_qualifier(text: str) -> tuple[str, str]:
    """Return what stands before the name, and the text with blanks in its place.

    `Token.transfer(1)` gives `("Token", "      transfer(1)")`, so that positions stay;
    a text without a qualifier gives an empty one.
    """
    match = _QUALIFIER.match(text)
    if match is None:
        return "", text
    return match["name"], " " * match.end() + text[match.end() :]


def numbered(qualifier: str) -> tuple[str, int]:
    """Return the qualifier of functions, and which of their contracts is meant, from 0.

    Of contracts that sequences create `Pair#2` is the second: `("Pair#n", 1)`.
    """
    name, mark, number = qualifier.partition("#")
    if not number.isdecimal():
        return qualifier, 0
    return f"{name}{mark}n", max(0, int(number) - 1)


def qualified_by(qualifier: str, functions: Iterable[AbiFunction]) -> list[AbiFunction]:
    """Return the functions that a qualifier means; all if it is empty.

    `Token` means those of every deployment of that contract, `Token@0x…` of one.
    """
    wanted = qualifier.lower()
    return [
        function
        for function in functions
        if not wanted
        or qualifier == function.contract
        or wanted == function.qualifier.lower()
    ]


# Each control command looks again at all requests that wait for the next round.
@lru_cache(maxsize=256)
def parse_signature(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Return the name, and the canonical parameter types unless there are no brackets.

    `transfer` gives `("transfer", None)`, `f( uint, (bool,int)[2] )` gives
    `("f", ("uint256", "(bool,int256)[2]"))`.

    Raises:
        CallSyntaxError: the text is no signature.
    """
    try:
        reader = Reader(text)
        name = reader.expect("the name of a function", "name").text
        types = _types(reader, 1) if reader.take("(") else None
        reader.finish()
    except Problem as problem:
        message = (
            f"The signature can't be read: {problem.message}; write a name and types, "
            "as in transfer(address,uint256)."
        )
        raise syntax_error(text, message, problem) from None
    return name, types


def match_functions(
    text: str, functions: Sequence[AbiFunction]
) -> tuple[AbiFunction, ...]:
    """Return the functions that a signature means, in the order of `functions`.

    A full signature means exactly one function. A bare name means every overload, and
    so does `name()` if no function of that name is without parameters. Nothing is
    returned if nothing matches. Where several contracts are called, a qualifier says of
    which one; without it those of every contract are meant.

    Raises:
        CallSyntaxError: the text is no signature.
    """
    qualifier, rest = split_qualifier(text)
    name, types = parse_signature(rest)
    among = [f for f in qualified_by(qualifier, functions) if f.name == name]
    if types is not None:
        signature = f"{name}({','.join(types)})"
        exact = tuple(f for f in among if f.plain_signature == signature)
        if exact or types:
            return exact
    return tuple(among)


def closest_names(name: str, functions: Sequence[AbiFunction]) -> list[str]:
    """Return the signatures of functions whose names resemble `name`, nearest first."""
    signatures: dict[str, list[str]] = {}
    for function in functions:
        signatures.setdefault(function.name.lower(), []).append(function.signature)
    near = closest(name.lower(), signatures)
    return [signature for found in near for signature in signatures[found]]


def syntax_error(
    text: str,
    message: str,
    problem: Problem | None = None,
    *,
    name: str | None = None,
    expected: str | None = None,
    closest: Sequence[str] = (),
) -> CallSyntaxError:
    """Return the error with the details that every one of its kind has."""
    return CallSyntaxError(
        _printable(message),
        call=_printable(text if len(text) <= _ECHO else text[:_ECHO] + "…"),
        position=problem.position if problem else 0,
        argument=problem.argument if problem else None,
        argumentName=name,
        expectedType=expected,
        closest=list(closest),
    )


def _printable(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoder of JSON has to accept."""
    return text.encode("utf-8", "replace").decode()


def _types(reader: Reader, depth: int) -> tuple[str, ...]:
    """Return the types up to the closing bracket, and skip it."""
    if depth > MAX_DEPTH:
        position = reader.token.position
        raise Problem(f"the brackets nest deeper than {MAX_DEPTH} levels", position)
    types: list[str] = []
    while not reader.take(")"):
        if types and not reader.take(","):
            raise reader.unexpected("`,` or `)`")
        types.append(_type(reader, depth))
    return tuple(types)


def _type(reader: Reader, depth: int) -> str:
    if not reader.at("("):
        token = reader.expect("a type", "name")
        if token.text == "tuple" and reader.at("("):
            return _type(reader, depth)
        elementary = elementary_type(token.text)
        if elementary is None or token.text == "payable":
            raise Problem(
                f"`{token.text[:64]}` at position {token.position} is no ABI type",
                token.position,
            )
        canonical = elementary.name
    else:
        reader.advance()
        canonical = f"({','.join(_types(reader, depth + 1))})"
    while reader.take("["):
        length = ""
        if not reader.at("]"):
            token = reader.expect("a length or `]`", "number")
            length = token.text
            if not length.isdecimal() or not length.isascii() or length[0] == "0":
                raise Problem(
                    f"`{length[:64]}` at position {token.position} is no array length",
                    token.position,
                )
        reader.expect("]")
        canonical += f"[{length}]"
    return canonical
