"""Foundry: what a profile of `foundry.toml` asks for, as settings of our keys.

Source: Foundry, `crates/config` and its configuration reference. Settings of compilers
are none of these; who compiles reads them from the same profile. What formats, lints
and only matters to other commands is passed over; what nobody knows is not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any, Final

from echidna_mcp.config.document import number_of
from echidna_mcp.config.projects import foundry_keys as keys
from echidna_mcp.config.projects.foundry_keys import INHERITED, MAPPED, REFUSED, TEXTS
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
from echidna_mcp.evm.created import CREATE2_FACTORY, created_address
from echidna_mcp.wording import closest, did_you_mean

PROFILE_VARIABLE: Final = "FOUNDRY_PROFILE"
DEFAULT_PROFILE: Final = "default"
SECTIONS: Final = ("profile", "fuzz", "invariant")
"""Tables by which the content of a file shows that it is Foundry's."""
_TESTS: Final = ("fuzz", "invariant")

_SENDER: Final = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
_BALANCE: Final = (1 << 96) - 1
_FACTORY_CODE: Final = (
    "604580600b6000396000f3"  # returns what follows
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0"
    "3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
)
"""Creation code of `CREATE2_FACTORY`."""
_RUNS: Final = 256
_DEPTH: Final = 500
_U63: Final = (1 << 63) - 1
_U64: Final = (1 << 64) - 1

_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def profile_name() -> str:
    """Return the profile that is asked for, as forge does: by FOUNDRY_PROFILE."""
    return os.environ.get(PROFILE_VARIABLE) or DEFAULT_PROFILE


def profile_of(data: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    """Return a profile: it stands over `[fuzz]` and `[invariant]`, these over default.

    `[invariant]` has from `[fuzz]` what it does not say itself. Keys may be written
    `like-this` and `likeThis`, too.

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
    alone = {key: _table(data, key, path) for key in _TESTS}
    shared = {key: each for key, each in alone["fuzz"].items() if key in INHERITED}
    alone["invariant"] = {**shared, **alone["invariant"]}
    layers = [_table(profiles, DEFAULT_PROFILE, path), alone]
    if name == DEFAULT_PROFILE:
        layers.reverse()
    else:
        layers.append(_table(profiles, name, path))
    return reduce(merged, layers, {})


def tests_directory(source: str, path: Path) -> str:
    """Return where the profile that is asked for has its tests, as forge's `test`.

    Args:
        source: what the file holds.
        path: of the file, for messages.

    Raises:
        ConfigError: it is no TOML, or there is no such profile.
    """
    found = profile_of(read_toml(source, path), profile_name(), path).get("test")
    return found if isinstance(found, str) and found else "test"


def _names(data: Mapping[str, Any], name: str, path: Path) -> Mapping[str, str]:
    """Return how messages call what `[invariant]` has from `[fuzz]` in a profile."""
    own = _table(_table(data, "profile", path), name, path).get("invariant", {})
    stated = {*_table(data, "invariant", path), *(own if isinstance(own, dict) else ())}
    return {
        f"invariant.{key}": f"fuzz.{key}"
        for key in _table(data, "fuzz", path)
        if key in INHERITED and key not in stated
    }


def _table(data: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    """Return a table of a file; the names in `profile` stay as they are."""
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key} must be a table.", key=key)
    return table if key == "profile" else _with_plain_keys(table)


def _with_plain_keys(table: Mapping[str, Any]) -> dict[str, Any]:
    plain = {}
    for key, value in table.items():
        name = _WORD.sub("_", key).replace("-", "_").lower()
        inner = name in _TESTS and isinstance(value, dict)
        plain[name] = _with_plain_keys(value) if inner else value
    return plain


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two tables as one; `above` wins, tables in them are merged as well."""
    both = dict(below)
    for key, value in above.items():
        under = both.get(key)
        if isinstance(value, dict) and isinstance(under, dict):
            both[key] = merged(under, value)
        else:
            both[key] = value
    return both


def read_foundry(source: str, path: Path) -> Reading:
    """Read the profile of a `foundry.toml` that is asked for.

    Raises:
        ConfigError: it is no TOML, or has no such profile.
    """
    data, name = read_toml(source, path), profile_name()
    nested = Nested.of(profile_of(data, name, path), path, _TESTS)
    nested.names = _names(data, name, path)
    if "vyper" in data:
        nested.values["vyper"] = data["vyper"]
    for given, key in TEXTS.items():
        if given in nested.values:
            nested.set(key, nested.values.pop(given), given)
    _set_mapped(nested)
    _set_accounts(nested)
    _set_gas_limit(nested)
    _set_limits(nested, _RUNS, _DEPTH)
    _set_libraries(nested)
    _leave_programs(nested)
    _refuse_the_rest(nested)
    _refuse_sections(nested, data)
    return nested.reading()


def read_comments(
    data: Mapping[str, Any], where: str, *, runs: int = _RUNS, depth: int = _DEPTH
) -> Reading:
    """Read settings of comments beside tests, which are those of a profile.

    Args:
        data: as a profile holds them.
        where: what stands before a name in messages.
        runs, depth: of invariants, if the comments say only one of the two.
    """
    nested = Nested.of(_with_plain_keys(data), where, _TESTS)
    for name in sorted(keys.UNCHANGED & nested.values.keys()):
        del nested.values[name]
        nested.remark("idle", name, "does nothing beside a test")
    _set_mapped(nested)
    _set_gas_limit(nested)
    _set_limits(nested, runs, depth)
    if "evm_version" in nested.values:
        del nested.values["evm_version"]
        nested.remark("unsupported", "evm_version", "is not supported beside a test")
    _refuse_the_rest(nested)
    return nested.reading()


def profiles_of(source: str, path: Path) -> frozenset[str]:
    """Return the names of the profiles of a `foundry.toml`, and that of the default.

    Raises:
        ConfigError: it is no TOML, or `profile` is no table.
    """
    return frozenset(
        {DEFAULT_PROFILE, *_table(read_toml(source, path), "profile", path)}
    )


def _set_mapped(nested: Nested) -> None:
    """Set what is a setting of ours by itself."""
    for given, key in MAPPED.items():
        if given in nested.values:
            nested.set(key, _number(nested.values.pop(given)), given)


def _refuse_the_rest(nested: Nested) -> None:
    """Remark on what does not work, or what nobody knows."""
    for name, value in nested.values.items():
        if name in REFUSED:
            if value not in (REFUSED[name], ""):
                predicate = f"is {shown(value)}, which is not supported yet"
                nested.remark("unsupported", name, predicate)
        elif name in keys.IDLE:
            if value != keys.IDLE[name]:
                nested.remark("idle", name, "is not supported yet and does nothing")
        elif name not in keys.KNOWN:
            nested.remark("unsupported", name, f"is no key of Foundry{_hint(name)}")


def _hint(name: str) -> str:
    section, dot, key = name.rpartition(".")
    known = [
        each.removeprefix(section + dot)
        for each in sorted(keys.KNOWN)
        if each.rpartition(".")[0] == section
    ]
    near = closest(key, known, 1)
    return f" (did you mean `{section + dot}{near[0]}`?)" if near else ""


def _refuse_sections(nested: Nested, data: Mapping[str, Any]) -> None:
    """Remark on tables of the file that nobody knows."""
    for name in data:
        if name not in keys.SECTIONS:
            near = closest(name, sorted(keys.SECTIONS), 1) or [f"profile.{name[:60]}"]
            predicate = f"is no section of Foundry (did you mean `[{near[0]}]`?)"
            nested.remark("unsupported", name, predicate)


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


def _set_limits(nested: Nested, runs_else: int, depth_else: int) -> None:
    """Set the length of sequences, how many calls there are, and the seed."""
    whole = number_or_text(integer(0, _U63))
    runs, depth = "invariant.runs", "invariant.depth"
    given = runs if runs in nested.values else depth
    if given in nested.values:
        calls = nested.take(depth, whole, depth_else)
        sequences = nested.take(runs, whole, runs_else)
        nested.set("seqLen", calls, depth)
        nested.set("testLimit", calls * sequences, given)
    name = "fuzz.seed"
    if name in nested.values:
        seed = nested.take(name, number_or_text(integer(0, (1 << 256) - 1)), 0)
        nested.set("seed", seed & _U63, name)


def _leave_programs(nested: Nested) -> None:
    """Remark that whether programs are run is not for a project to say."""
    if nested.values.pop("ffi", False) not in (False, ""):
        predicate = (
            "asks for programs to be run, which is for you to allow: --allow-ffi"
        )
        nested.remark("idle", "ffi", predicate, unless="allowFFI")


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
        "deployBytecodes": [[f"0x{CREATE2_FACTORY:040x}", _FACTORY_CODE]],
        "testMode": "foundry",
        "stdInvariant": "always",
        "cheatDialect": "foundry",
    },
    read=read_foundry,
)
