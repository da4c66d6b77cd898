"""Foundry: what a profile of `foundry.toml` asks for, as settings of our keys.

Source: Foundry, `crates/config` and its configuration reference. Settings of compilers
are none of these; who compiles reads them from the same profile. Formatting, linting
and what only matters to other commands is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from echidna_mcp.config.document import number_of
from echidna_mcp.config.projects.kind import Kind, Reading
from echidna_mcp.config.projects.nested import Nested
from echidna_mcp.config.projects.structured import read_toml
from echidna_mcp.config.readers import (
    address,
    integer,
    number_or_text,
    shown,
    texts,
)
from echidna_mcp.errors import ConfigError
from echidna_mcp.evm.created import created_address
from echidna_mcp.wording import closest, did_you_mean

PROFILE_VARIABLE: Final = "FOUNDRY_PROFILE"
DEFAULT_PROFILE: Final = "default"
SECTIONS: Final = ("profile", "fuzz", "invariant")

_SENDER: Final = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
_BALANCE: Final = (1 << 96) - 1
_RUNS: Final = 256
_DEPTH: Final = 500
_U63: Final = (1 << 63) - 1
_U64: Final = (1 << 64) - 1

MAPPED: Final[Mapping[str, str]] = {
    "block_number": "blockNumber",
    "block_timestamp": "blockTimestamp",
    "block_base_fee_per_gas": "baseFee",
    "block_coinbase": "coinbase",
    "block_prevrandao": "prevRandao",
    "chain_id": "chainId",
    "gas_price": "maxGasprice",
    "code_size_limit": "codeSize",
    "invariant.shrink_run_limit": "shrinkLimit",
    "invariant.max_time_delay": "maxTimeDelay",
    "invariant.max_block_delay": "maxBlockDelay",
    "invariant.timeout": "timeout",
}
"""What is a setting of ours by itself. Numbers may be texts, also in hexadecimal."""

REFUSED: Final[Mapping[str, Any]] = {
    "ffi": False,
    "isolate": False,
    "always_use_create_2_factory": False,
    "eth_rpc_url": "",
    "fork_block_number": "",
    "extends": "",
    "invariant.fail_on_revert": False,
    "invariant.call_override": False,
}
"""What changes what is tested and does not work, with the value that asks for nothing.

`ffi` runs programs, `extends` brings in another file.
"""


def profile_name() -> str:
    """Return the profile that is asked for, as forge does: by FOUNDRY_PROFILE."""
    return os.environ.get(PROFILE_VARIABLE) or DEFAULT_PROFILE


def profile_of(data: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    """Return a profile: it stands over `[fuzz]` and `[invariant]`, these over default.

    `[invariant]` has from `[fuzz]` what it does not say itself.

    Raises:
        ConfigError: there is no such profile, or what should be a table is none.
    """
    profiles = _table(data, "profile", path)
    if name != DEFAULT_PROFILE and name not in profiles:
        known = {DEFAULT_PROFILE, *profiles}
        hint = did_you_mean(
            closest(name, known, 1), f"there are {', '.join(sorted(known))}."
        )
        raise ConfigError(
            f"{path}: there is no profile {name!r} ({PROFILE_VARIABLE}); {hint}"
        )
    alone = {key: _table(data, key, path) for key in ("fuzz", "invariant")}
    alone["invariant"] = {**alone["fuzz"], **alone["invariant"]}
    layers = [_table(profiles, DEFAULT_PROFILE, path), alone]
    if name == DEFAULT_PROFILE:
        layers.reverse()
    else:
        layers.append(_table(profiles, name, path))
    merged: Mapping[str, Any] = {}
    for layer in layers:
        merged = _merged(merged, layer)
    return merged


def _table(data: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key} must be a table.", key=key)
    return table


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two tables as one; `above` wins, tables in them are merged as well."""
    both = dict(below)
    for key, value in above.items():
        under = both.get(key)
        if isinstance(value, dict) and isinstance(under, dict):
            both[key] = _merged(under, value)
        else:
            both[key] = value
    return both


def read_foundry(source: str, path: Path) -> Reading:
    """Read the profile of a `foundry.toml` that is asked for.

    Raises:
        ConfigError: it is no TOML, or has no such profile.
    """
    profile = profile_of(read_toml(source, path), profile_name(), path)
    nested = Nested.of(profile, path, ("fuzz", "invariant"))
    for name, key in MAPPED.items():
        if name in nested.values:
            nested.set(key, _number(nested.values.pop(name)), name)
    _set_accounts(nested)
    _set_gas_limit(nested)
    _set_limits(nested)
    _set_libraries(nested)
    for name, nothing in REFUSED.items():
        value = nested.values.get(name, nothing)
        if value not in (nothing, ""):
            nested.remark(
                "unsupported", name, f"is {shown(value)}, which is not supported yet"
            )
    return nested.reading()


def _number(value: Any) -> Any:
    return number_of(value.lower()) if isinstance(value, str) else value


def _set_accounts(nested: Nested) -> None:
    """Set who deploys what where: the test contract is the second that `sender` makes.

    It and all senders own `initial_balance`.
    """
    sender = nested.take("sender", address, _SENDER)
    contract = f"0x{created_address(sender, 1):x}"
    if sender != _SENDER:
        nested.set("deployer", f"0x{sender:x}", "sender")
        nested.set("psender", f"0x{sender:x}", "sender")
        nested.set("contractAddr", contract, "sender")
    if "tx_origin" in nested.values and nested.take("tx_origin", address, sender) != (
        sender
    ):
        nested.remark("unsupported", "tx_origin", "is not `sender`; it is always, here")
    name = "initial_balance"
    balance = _number(nested.values.pop(name, _BALANCE))
    nested.set("balanceAddr", balance, name)
    nested.set("balances", {contract: balance}, name)


def _set_gas_limit(nested: Nested) -> None:
    """Set what GASLIMIT gives; calls have `testMaxGas`, whatever the block has."""
    for name in ("block_gas_limit", "gas_limit"):
        if name in nested.values:
            limit = _number(nested.values.pop(name))
            most = limit in ("max", "u64::max")
            nested.set("blockGasLimit", _U64 if most else limit, name)
            return


def _set_limits(nested: Nested) -> None:
    """Set the length of sequences, how many calls there are, and the seed."""
    whole = number_or_text(integer(0, _U63))
    runs, depth = "invariant.runs", "invariant.depth"
    given = runs if runs in nested.values else depth
    if given in nested.values:
        calls = nested.take(depth, whole, _DEPTH)
        sequences = nested.take(runs, whole, _RUNS)
        nested.set("seqLen", calls, depth)
        nested.set("testLimit", calls * sequences, given)
    name = "fuzz.seed"
    if name in nested.values:
        seed = nested.take(name, number_or_text(integer(0, (1 << 256) - 1)), 0)
        nested.set("seed", seed & _U63, name)


def _set_libraries(nested: Nested) -> None:
    """Set where libraries are, which Foundry writes as `src/A.sol:Name:0xADDRESS`."""
    name = "libraries"
    pairs = [
        f"({library},{at})"
        for library, _, at in (
            text.rpartition(":") for text in nested.take(name, texts, ())
        )
    ]
    if pairs:
        argument = f"--compile-libraries={','.join(pairs)}"
        nested.set("cryticArgs", [argument], name)


FOUNDRY: Final = Kind(
    name="foundry",
    title="Foundry",
    files=("foundry.toml",),
    preset={
        "deployer": f"0x{_SENDER:040x}",
        "psender": f"0x{_SENDER:040x}",
        "contractAddr": f"0x{created_address(_SENDER, 1):040x}",
        "balanceAddr": _BALANCE,
        "balances": {f"0x{created_address(_SENDER, 1):040x}": _BALANCE},
        "blockNumber": 1,
        "blockTimestamp": 1,
        "blockGasLimit": 1 << 30,
        "prevRandao": 0,
        "chainId": 31337,
    },
    read=read_foundry,
)
