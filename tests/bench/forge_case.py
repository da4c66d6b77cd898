"""A case of `bench_quality` as an invariant test for Foundry.

The target is a contract that inherits the case: it tells in one call which of its
properties are false, and has functions that call those that are payable with ether, and
those without a name, as forge 1.7.1 does neither. Deployer, senders, ether, blocks,
delays are those of the configuration, and `psender` calls the properties. All that are
not false yet are one invariant: `CASE_OPEN` has a bit for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from quality_cases import Case

from echidna_mcp.config.campaign import CampaignConfig

INVARIANT: Final = "invariant_case"
OPEN: Final = "CASE_OPEN"
_BITS: Final = 256
_CONSTANT: Final = frozenset(("pure", "view"))
_EXPRESSED: Final = frozenset(
    (
        *("psender", "max_time_delay", "max_block_delay", "max_value", "seq_len"),
        *("deployer", "senders", "balance_addr", "balances", "balance_contract"),
        *("evm_version", "block_number", "block_timestamp"),
    )
)
"""What a Foundry test can say."""
_OF_OURS: Final = frozenset(("test_limit", "shrink_limit", "coverage", "seed"))
"""What says nothing about the world."""

_SETTINGS = """\
[profile.default]
src = "src"
test = "test"
libs = []
auto_detect_remappings = false
evm_version = "{evm_version}"
block_number = {block_number}
block_timestamp = {block_timestamp}

[invariant]
depth = {seq_len}
runs = 4000000000
max_time_delay = {max_time_delay}
max_block_delay = {max_block_delay}
fail_on_revert = false
show_metrics = true
# A campaign ends with the bug that it finds; nobody asks how short it can be told.
shrink_run_limit = 0
"""

_TEST = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.0;

import "../src/{file}";

interface CaseCheats {{
    function envUint(string calldata name) external view returns (uint256);
    function deal(address who, uint256 amount) external;
    function prank(address sender) external;
}}

CaseCheats constant CASE_CHEATS =
    CaseCheats(address(uint160(uint256(keccak256("hevm cheat code")))));

contract CaseTarget is {contract} {{
{target}
}}

contract CaseTest {{
    CaseTarget private target;
    uint256 private open;
    bytes4[] private properties;

    function setUp() external {{
        open = CASE_CHEATS.envUint("{open}");
{set_up}
    }}

    function targetContracts() external view returns (address[] memory found) {{
        found = new address[](1);
        found[0] = address(target);
    }}

    function targetSenders() external pure returns (address[] memory found) {{
{senders}
    }}

    function {invariant}() external {{
        uint256 fallen;
        CASE_CHEATS.prank({psender});
        try target.caseFallen(open) returns (uint256 which) {{
            fallen = which;
        }} catch {{
            fallen = _eachAlone();
        }}
        if (fallen != 0) revert(_names(fallen));
    }}

    /// One of them reverts: it is false, and tells nothing of the others.
    function _eachAlone() private returns (uint256 fallen) {{
        for (uint256 i = 0; i < properties.length; i++) {{
            if (open & (1 << i) == 0) continue;
            CASE_CHEATS.prank({psender});
            bytes memory data = abi.encodePacked(properties[i]);
            (bool ok, bytes memory told) = address(target).staticcall(data);
            if (!ok || !abi.decode(told, (bool))) fallen |= 1 << i;
        }}
    }}

    function _names(uint256 fallen) private pure returns (string memory names) {{
{names}
    }}
}}
"""


def why_not(case: Case, abi: Sequence[Mapping[str, Any]]) -> str | None:
    """Return why a case can't be said as a Foundry test, or None.

    Args:
        abi: that of its contract.
    """
    config, usual = case.config, CampaignConfig()
    for name in (each.name for each in fields(config)):
        if name in _EXPRESSED | _OF_OURS:
            continue
        if getattr(config, name) != getattr(usual, name):
            return f"its configuration sets {name}"
    created: Mapping[str, Any] = next(
        (each for each in abi if each["type"] == "constructor"), {}
    )
    if created.get("inputs"):
        return "its constructor takes arguments"
    if config.balance_contract and not _payable(created):
        return "its constructor takes no ether"
    for each in abi:
        if (
            each.get("name") in case.properties
            and each["stateMutability"] not in _CONSTANT
        ):
            return f"{each['name']} changes the state"
    return None


def settings(config: CampaignConfig) -> str:
    """Return the `foundry.toml` of a case."""
    values = {each.name: getattr(config, each.name) for each in fields(config)}
    return _SETTINGS.format(**values)


def foundry_test(case: Case, abi: Sequence[Mapping[str, Any]]) -> str:
    """Return the test of a case, whose source is in `src`.

    Args:
        abi: that of its contract.
    """
    assert len(case.properties) <= _BITS
    config = case.config
    return _TEST.format(
        file=case.source.name,
        contract=case.contract,
        target=_indented(4, _target(case, abi)),
        open=OPEN,
        set_up=_indented(8, _set_up(case)),
        senders=_indented(8, _senders(config)),
        invariant=INVARIANT,
        psender=_address(config.psender),
        names=_indented(8, _names(case)),
    )


def _indented(by: int, lines: Iterator[str]) -> str:
    return "\n".join(f"{' ' * by}{line}".rstrip() for line in lines)


def _address(value: int) -> str:
    return f"address(uint160({value}))"


def _payable(function: Mapping[str, Any]) -> bool:
    return function.get("stateMutability") == "payable"


def _target(case: Case, abi: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if case.config.balance_contract:
        yield "constructor() payable {}"
        yield ""
    yield "function caseFallen(uint256 open) external view returns (uint256 fallen) {"
    for number, (name, external) in enumerate(case.properties.items()):
        call = f"this.{name}()" if external else f"{name}()"
        asked = f"open & (1 << {number}) != 0"
        yield f"    if ({asked} && !{call}) fallen |= 1 << {number};"
    yield "}"
    yield ""
    yield "/// As in a campaign, what is sent is the sender's though he has it not."
    yield "function _caseSends(uint256 amount) private returns (uint256 paid) {"
    yield f"    paid = amount % {case.config.max_value + 1};"
    yield "    CASE_CHEATS.deal(msg.sender, msg.sender.balance + paid);"
    yield "    CASE_CHEATS.prank(msg.sender);"
    yield "}"
    for each in abi:
        if each["type"] == "function" and _payable(each):
            yield ""
            yield from _with_ether(each)
        elif each["type"] in {"fallback", "receive"}:
            yield ""
            yield from _nameless(each)


def _nameless(function: Mapping[str, Any]) -> Iterator[str]:
    """Yield a function that calls one without a name, in the sender's name."""
    named = function["type"] == "fallback"
    data = ", bytes memory caseData" if named else ""
    yield f"function casePay_{function['type']}(uint256 casePaid{data}) external {{"
    paid = "_caseSends(casePaid)" if _payable(function) else "_caseSends(0)"
    told = "caseData" if named else '""'
    call = f"address(this).call{{value: {paid}}}({told})"
    yield f"    (bool caseDone,) = {call};"
    yield "    require(caseDone);"
    yield "}"


def _with_ether(function: Mapping[str, Any]) -> Iterator[str]:
    """Yield a function that calls a payable one with ether, in the sender's name."""
    names = [f"case{number}" for number in range(len(function["inputs"]))]
    given = [
        f"{_type(each)} {name}"
        for each, name in zip(function["inputs"], names, strict=True)
    ]
    told = ", ".join(map(_type, function["outputs"]))
    returns = f" returns ({told})" if told else ""
    head = ", ".join(["uint256 casePaid", *given])
    yield f"function casePay_{function['name']}({head}) external{returns} {{"
    call = f"this.{function['name']}{{value: _caseSends(casePaid)}}"
    yield f"    {'return ' if told else ''}{call}({', '.join(names)});"
    yield "}"


def _type(parameter: Mapping[str, Any]) -> str:
    kind, name = parameter["type"], parameter["internalType"]
    # It is `struct Pool.Request[]`, but also `address payable`.
    first, _, rest = name.partition(" ")
    if first in {"struct", "enum", "contract"}:
        name = rest
    lies = kind.startswith("tuple") or kind.endswith("]") or kind in {"bytes", "string"}
    return f"{name} memory" if lies else name


def _set_up(case: Case) -> Iterator[str]:
    config = case.config
    paid = f"{{value: {config.balance_contract}}}" if config.balance_contract else ""
    deployer = _address(config.deployer)
    if paid:
        yield f"CASE_CHEATS.deal({deployer}, {config.balance_contract});"
    yield f"CASE_CHEATS.prank({deployer});"
    yield f"target = new CaseTarget{paid}();"
    rich = dict.fromkeys((config.deployer, *config.senders), config.balance_addr)
    for who, amount in {**rich, **dict(config.balances)}.items():
        yield f"CASE_CHEATS.deal({_address(who)}, {amount});"
    for name in case.properties:
        yield f"properties.push(target.{name}.selector);"


def _senders(config: CampaignConfig) -> Iterator[str]:
    yield f"found = new address[]({len(config.senders)});"
    for number, sender in enumerate(config.senders):
        yield f"found[{number}] = {_address(sender)};"


def _names(case: Case) -> Iterator[str]:
    """Yield what tells properties by their names, each behind a blank."""
    for number, name in enumerate(case.properties):
        told = f'string.concat(names, " {name}")'
        yield f"if (fallen & (1 << {number}) != 0) names = {told};"
