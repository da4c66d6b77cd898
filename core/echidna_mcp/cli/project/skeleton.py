"""The files that `init` writes: a configuration with comments, and first tests.

The tests are Solidity that compiles as it stands, for the compilers of the contract
itself: they have its pragma. Arguments of its constructor are values of the right
types, which a person replaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.errors import UsageError
from echidna_mcp.program.model import Contract
from echidna_mcp.wording import some

_PRAGMA: Final = re.compile(r"^\s*pragma\s+solidity\s+[^;]{1,200};", re.MULTILINE)
_ANY_PRAGMA: Final = "pragma solidity >=0.6.0;"
_ARRAY: Final = re.compile(r"(.*)\[(\d*)\]", re.DOTALL)
_NAMED_KINDS: Final = re.compile(r"(struct|contract|enum) (.*)", re.DOTALL)
_ADDRESS: Final = "address(0x10000)"
"""The first sender, so that there is somebody who may do what it allows."""
_MOST_ELEMENTS: Final = 32
_CHOOSE: Final = "// Arguments of the constructor: write those that a deployment has."

CONFIGURATION: Final = """\
# How this project is fuzzed by `echidna-mcp run`. All keys: docs/configuration.md.
# What begins with `# key:` shows the default, or an example.

# The contract whose tests are checked.
contract: {contract}

# What is checked: property ({prefix}* that return true), assertion (assert()),
# optimization ({prefix}* that return int256), overflow; several with commas, or all.
testMode: property,assertion

# When it ends: after so many calls, or seconds.
testLimit: 50000
# timeout: 300

# Calls in a sequence.
# seqLen: 100

# The same seed finds the same again.
# seed: 1

# Who calls, and what all of them own, in wei.
# sender: ["0x10000", "0x20000", "0x30000"]
# balanceAddr: 0xffffffff

# Contracts besides are called as well if they are deployed.
# allContracts: false

# Where campaigns and what they have learnt are kept.
# corpusDir: echidna-corpus
"""


def properties_source(
    contract: Contract, *, name: str, path: str, source: str, prefix: str
) -> str:
    """Return a contract with a first property, which inherits the one that it tests.

    Args:
        contract: what is tested.
        name: of the new contract.
        path: by which it imports the other.
        source: the text in which that is defined.
        prefix: of properties.

    Raises:
        UsageError: the constructor takes what has no literal.
    """
    arguments = list(_arguments(contract))
    constructor = ""
    if arguments:
        public = "" if _may_omit_visibility(source) else " public"
        base = _call(contract.name, arguments, " " * 8)
        constructor = (
            f"    {_CHOOSE}\n    constructor(){public}\n        {base}\n    {{}}\n\n"
        )
    return f"""\
// SPDX-License-Identifier: UNLICENSED
{_pragma(source)}

import "{path}";

/// Tests of {contract.name}: the fuzzer calls all of its functions, in any order and
/// from several senders, and asks each {prefix}* function after every call.
contract {name} is {contract.name} {{
{constructor}\
    // Write what {contract.name} promises to everybody, whatever was called.
    // To read from: {_views(contract)}.
    function {prefix}first() public view returns (bool) {{
        return address(this).balance >= 0; // Always: replace it.
    }}
}}
"""


def invariants_source(contract: Contract, *, name: str, path: str, source: str) -> str:
    """Return a test of Foundry with a first invariant; the arguments are as before."""
    arguments = list(_arguments(contract))
    choose = f"        {_CHOOSE}\n" if arguments else ""
    created = _call(f"new {contract.name}", arguments, " " * 8)
    return f"""\
// SPDX-License-Identifier: UNLICENSED
{_pragma(source)}

import "{path}";

/// Invariants of {contract.name}: all functions of what setUp() deploys are called, in
/// any order and by anybody, and each invariant_* function is asked after every call.
contract {name} {{
    {contract.name} internal target;

    function setUp() public {{
{choose}        target = {created};
    }}

    // Assert what {contract.name} promises to everybody, whatever was called.
    // To read from: {_views(contract)}.
    function invariant_first() public view {{
        assert(address(target) != address(0)); // Always: replace it.
    }}
}}
"""


def _call(what: str, arguments: Sequence[str], indent: str) -> str:
    """Return a call; each argument has a line, since it is going to be changed."""
    lines = ",\n".join(f"{indent}    {each}" for each in arguments)
    return f"{what}(\n{lines}\n{indent})" if arguments else f"{what}()"


def _pragma(source: str) -> str:
    found = _PRAGMA.search(source)
    return _ANY_PRAGMA if found is None else " ".join(found[0].split())


def _may_omit_visibility(source: str) -> bool:
    """Whether constructors need no visibility: from Solidity 0.7 on."""
    numbers = re.findall(r"0\.(\d+)", _pragma(source))
    return all(int(number) >= 7 for number in numbers)


def _views(contract: Contract) -> str:
    """Return what can be read of a contract, for a comment."""
    views = [
        f"{each.signature} returns {type_name(each.outputs)}"
        for each in functions_of(contract.abi)
        if each.kind == "function" and each.read_only and each.outputs.members
    ]
    return some(views) or "storage, which a contract that inherits can read"


def _arguments(contract: Contract) -> Iterator[str]:
    """Yield a value for each parameter of the constructor."""
    for entry in contract.abi:
        if entry.get("type") == "constructor":
            for parameter in entry.get("inputs", ()):
                try:
                    yield _value(parameter)
                except _NoLiteral:
                    shown = parameter.get("internalType", parameter["type"])
                    raise UsageError(
                        f"The constructor of {contract.name} takes a value for which "
                        f"init has no literal ({shown}); write the first file by hand, "
                        "as docs/command-line.md shows."
                    ) from None


class _NoLiteral(Exception):  # noqa: N818 - for `_arguments`, which names the contract
    """A type has no values that can be written as one expression."""


def _value(parameter: Mapping[str, Any]) -> str:
    """Return an expression of the type of a parameter, by its entry of the ABI."""
    kind, named = parameter["type"], parameter.get("internalType", parameter["type"])
    if array := _ARRAY.fullmatch(kind):
        inner = _ARRAY.fullmatch(named)
        element = {
            **parameter,
            "type": array[1],
            "internalType": inner[1] if inner else array[1],
        }
        return _array(element, array[2])
    if marked := _NAMED_KINDS.fullmatch(named):
        return _named(marked[1], marked[2], parameter)
    if kind == "tuple" or kind.startswith("function"):
        raise _NoLiteral
    value = _elementary(kind, payable=named == "address payable")
    # A type of its own (`type Price is uint256`).
    return value if named in (kind, "address payable") else f"{named}.wrap({value})"


def _named(kind: str, name: str, parameter: Mapping[str, Any]) -> str:
    match kind:
        case "enum":
            return f"{name}(0)"
        case "contract":
            return f"{name}(payable({_ADDRESS}))"
        case _:
            members = (_value(each) for each in parameter.get("components", ()))
            return f"{name}({', '.join(members)})"


def _array(element: Mapping[str, Any], length: str) -> str:
    if not length:
        named = element["internalType"]
        marked = _NAMED_KINDS.fullmatch(named)
        return f"new {marked[2] if marked else named}[](0)"
    if not 0 < int(length) <= _MOST_ELEMENTS:
        raise _NoLiteral
    return f"[{', '.join([_value(element)] * int(length))}]"


def _elementary(kind: str, *, payable: bool) -> str:
    """Return a value that has the type itself, so that it may stand in an array."""
    match kind:
        case "bool":
            return "true"
        case "address":
            return f"payable({_ADDRESS})" if payable else _ADDRESS
        case "string" | "bytes":
            return f'{kind}("")'
        case _ if kind.startswith("bytes"):
            return f"{kind}(0)"
        case _ if kind.startswith(("uint", "int")):
            return f"{kind}(1)"
        case _:
            raise _NoLiteral
