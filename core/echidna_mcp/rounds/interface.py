"""The callable functions of a target as the flat tables of `fuzz.layout`."""

from __future__ import annotations

from dataclasses import dataclass

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.types import compile_types
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import TargetError
from echidna_mcp.fuzz.layout import FLAG_EMPTY, FLAG_PAYABLE, FLAG_RAW
from echidna_mcp.fuzz.tables import call_fits
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.program.target import FuzzTarget


@dataclass(frozen=True, slots=True)
class Interface:
    """Type program and function table of a target."""

    types: Words
    functions: Words


def interface_of(target: FuzzTarget) -> Interface:
    """Return the tables of a target.

    Raises:
        TargetError: a function takes more than a call record can hold.
    """
    types, nodes = compile_types([f.inputs for f in target.functions])
    table: list[int] = []
    for function, node in zip(target.functions, nodes, strict=True):
        if not call_fits(types, node):
            raise TargetError(
                f"The parameters of {function.signature} are too large to be fuzzed; "
                "leave the function out with filterFunctions."
            )
        table += [node, _flags(function), int.from_bytes(function.selector, "big")]
    return Interface(types, words(table))


def _flags(function: AbiFunction) -> int:
    flags = FLAG_PAYABLE if function.payable else 0
    if function.kind == "fallback":
        flags |= FLAG_RAW
    if function.kind == "receive":
        flags |= FLAG_EMPTY
    return flags


def known_addresses(config: CampaignConfig) -> list[int]:
    """Return the addresses worth passing as arguments, in a fixed order."""
    accounts = (*sorted(config.senders), config.deployer, config.contract_addr, 0)
    return list(dict.fromkeys(accounts))
