"""Traces of forge (`--json`) and of ours (`show --json`) in one form: lines of bytes.

A call, creation, log or self-destruct is a line, indented by its depth: kind, from, to,
wei, calldata, how it ended with which return data, gas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from echidna_mcp.abi.function import selector_of

VM: Final = "0x7109709ecfa91a80626ff3989d68f67f5b1dd12d"
_CREATION: Final = "0x000000000000000000000000000000000000c0de"
"""Where an exported test puts creation code that a contract runs for another one."""
_CONSTRUCT: Final = f"0x{selector_of('construct(address)').hex()}"
_ACT: Final = f"0x{selector_of('act(bytes,address,uint256,uint256,bytes)').hex()}"
"""With which an account of an exported test makes a call itself."""
_PRANK, _LASTING, _STOP = (
    [f"0x{selector_of(f'{name}({types})').hex()}" for types in variants]
    for name, variants in (
        ("prank", ("address", "address,address")),
        ("startPrank", ("address", "address,address")),
        ("stopPrank", ("",)),
    )
)
_NEVER_BEGAN: Final = ("OutOfFunds", "CreateCollision")
"""What ends so has no frame, so that we are silent on it."""
_BORROWING: Final = ("delegatecall", "callcode")


# ------------------------------------------------------------------------------- forge


class Arena:
    """Forge's trace of one exported test.

    Args:
        nodes: as forge writes them.
    """

    def __init__(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        self._nodes = nodes

    def costs(self) -> list[int | None]:
        """Return the gas of each message that is no deployment, after refunds.

        Those of messages that an account makes by itself are None.
        """
        return [
            None if trace["data"].startswith(_ACT) else trace["gas_used"]
            for node, _ in self._below(self._nodes[0])
            if (trace := node["trace"])["address"] not in (VM, _CREATION)
            and not trace["data"].startswith(_CONSTRUCT)
        ]

    def messages(self) -> list[list[str]]:
        """Return what the test does in place of the campaign, in order, as lines.

        Of what is deployed, it is what the constructor did. Of a call it is all, but
        without the gas of one that the account makes by itself.
        """
        return [
            [*self._message(node, sender)]
            for node, sender in self._below(self._nodes[0])
            if node["trace"]["address"] not in (VM, _CREATION)
        ]

    def _message(self, node: Mapping[str, Any], sender: str) -> Iterator[str]:
        data = node["trace"]["data"]
        if data.startswith(_CONSTRUCT):
            *_, (constructor, _) = self._below(node)
            yield from self._inner(constructor, 0)
        elif data.startswith(_ACT):
            *_, (call, sender) = self._below(node)
            yield from self._told(call, sender, 0)
        else:
            yield from self._told(node, sender, 0)

    def _below(
        self, node: Mapping[str, Any]
    ) -> Iterator[tuple[Mapping[str, Any], str]]:
        """Yield the calls that one makes, each with its sender.

        Forge has as caller who calls in truth, also where a prank has another one.
        """
        once = lasting = None
        for index in node["children"]:
            child = self._nodes[index]
            trace = child["trace"]
            if trace["address"] != VM:
                yield child, once or lasting or trace["caller"]
                once = None
                continue
            yield child, trace["caller"]
            selector, pranked = trace["data"][:10], f"0x{trace['data'][34:74]}"
            if selector in _PRANK:
                once = pranked
            elif selector in _LASTING:
                lasting = pranked
            elif selector in _STOP:
                once = lasting = None

    def _told(self, node: Mapping[str, Any], sender: str, level: int) -> Iterator[str]:
        trace = node["trace"]
        kind = trace["kind"].lower()
        halted = not trace["success"] and trace["status"] != "Revert"
        output = trace["output"]
        if kind.startswith("create"):
            if halted:
                output = "0x"  # Forge has the code that was refused.
            elif trace["success"]:
                output = f"{len(output) // 2 - 1} bytes of code"
        yield _line(
            level,
            kind,
            sender=trace["caller"] if kind in _BORROWING else sender,
            to=trace["address"],
            value=int(trace["value"], 16),
            data=None if kind.startswith("create") else trace["data"],
            success=trace["success"],
            output=output,
            # A halt takes all; forge has what was used until then.
            gas=trace["gas_limit"] if halted else trace["gas_used"],
        )
        yield from self._inner(node, level + 1)

    def _inner(self, node: Mapping[str, Any], level: int) -> Iterator[str]:
        calls = [*self._below(node)]
        for each in node["ordering"]:
            if "Call" in each:
                call, sender = calls[each["Call"]]
                if call["trace"]["status"] not in _NEVER_BEGAN:
                    yield from self._told(call, sender, level)
            elif "Log" in each:
                raw = node["logs"][each["Log"]]["raw_log"]
                yield _log(level, raw["topics"], raw["data"])
        if node["trace"]["status"] == "SelfDestruct":
            yield _end(level)


# -------------------------------------------------------------------------------- ours


def our_messages(document: Mapping[str, Any]) -> list[list[str]]:
    """Return the messages of a trace with its deployment, in the same form."""
    deployed = [
        [*_our_inner(message["trace"], 0)] for message in document["deployment"]
    ]
    asked = [document["question"]] if document["question"] else []
    made = [each for each in (*document["calls"], *asked) if each is not None]
    return [*deployed, *([*_our_call(each["trace"], 0)] for each in made)]


def _our_call(call: Mapping[str, Any], level: int) -> Iterator[str]:
    output = call["output"]
    yield _line(
        level,
        call["kind"],
        sender=call["address" if call["kind"] in _BORROWING else "caller"],
        to=call["callee"],
        value=int(call["value"]),
        data=call["data"],
        success=call["reason"] is None,
        output=call["results"][0]["value"] if output is None else output,
        gas=call["gasUsed"],
    )
    yield from _our_inner(call, level + 1)


def _our_inner(call: Mapping[str, Any], level: int) -> Iterator[str]:
    for each in call["inner"]:
        match each["kind"]:
            case "storage":
                pass  # Forge's JSON has none.
            case "log":
                yield _log(level, each["topics"], each["data"])
            case "selfdestruct":
                # Of one in a constructor forge says that it has returned.
                if not call["kind"].startswith("create"):
                    yield _end(level)
            case _:
                yield from _our_call(each, level)


# -------------------------------------------------------------------------------- both


def _line(
    level: int,
    kind: str,
    *,
    sender: str,
    to: str,
    value: int,
    data: str | None,
    success: bool,
    output: str,
    gas: int,
) -> str:
    # Forge repeats what came with the call whose code borrows other code.
    paid = "" if kind == "delegatecall" else f" wei {value}"
    given = "" if data is None else f" data {data}"
    ending = "returned" if success else "failed"
    # Cheatcodes cost forge nothing below the call; a message is compared as a whole.
    cost = "" if to == VM or not level else f" gas {gas}"
    return f"{'  ' * level}{kind} {sender} {to}{paid}{given} {ending} {output}{cost}"


def _log(level: int, topics: Sequence[str], data: str) -> str:
    return f"{'  ' * level}log [{', '.join(topics)}] {data}"


def _end(level: int) -> str:
    return f"{'  ' * level}selfdestruct"
