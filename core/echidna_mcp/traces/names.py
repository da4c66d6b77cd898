"""Names of what a trace meets: contracts by code, addresses by what lies there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from eth_hash.auto import keccak

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.render import render_address
from echidna_mcp.abi.types import parse_tuple
from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Contract
from echidna_mcp.program.target import FuzzTarget

PRECOMPILES: Final = {
    0x01: "ecrecover",
    0x02: "sha256",
    0x03: "ripemd160",
    0x04: "identity",
    0x05: "modexp",
    0x06: "ecadd",
    0x07: "ecmul",
    0x08: "ecpairing",
    0x09: "blake2f",
    0x0A: "pointEvaluation",
    0x0B: "bls12G1Add",
    0x0C: "bls12G1Msm",
    0x0D: "bls12G2Add",
    0x0E: "bls12G2Msm",
    0x0F: "bls12PairingCheck",
    0x10: "bls12MapFpToG1",
    0x11: "bls12MapFp2ToG2",
    0x100: "p256Verify",
}
"""Yellow Paper, appendix E; EIP-152, EIP-4844, EIP-2537, EIP-7951."""

_LABEL: Final = selector_of("label(address,string)")
_LABEL_INPUTS: Final = parse_tuple("(address,string)")


class Names:
    """What is known of addresses; frames add to it, as those of the deployment do."""

    def __init__(self, target: FuzzTarget) -> None:
        self._codes = CodeIndex(target.program)
        self._contracts = target.program.named
        self._labels: dict[int, str] = {}
        self._known: dict[int, str] = {CHEATCODES: "vm", CONSOLE: "console"}
        self._times: Counter[str] | None = None
        for callee in target.callees:
            if callee.address is not None:
                self._known[callee.address] = callee.contract.name

    def learn(self, frame: FrameResult) -> None:
        """Take note of all that a frame and those below it tell of addresses."""
        self._times = None
        for each in _below(frame):
            if each.answered and each.callee == CHEATCODES:
                self._take_label(each.data)
            elif each.kind != "delegatecall" and each.status.succeeded:
                contract = self.contract_of(each.code)
                if contract is not None:
                    self._known[each.address] = contract.name

    def _take_label(self, data: bytes) -> None:
        if data[:4] != _LABEL:
            return
        try:
            address, text = decode_arguments(_LABEL_INPUTS, data[4:])
        except InvalidInputError:
            return
        assert isinstance(address, int), "an address is a number"
        assert isinstance(text, bytes), "a string is bytes"
        self._labels[address] = text.decode("utf-8", "replace")

    def contract_of(self, code: bytes) -> Contract | None:
        """Return the contract of runtime or creation code; None if it is unknown."""
        if not code:
            return None
        key = self._codes.key(keccak(code), code)
        return self._contracts.get(key.rpartition("/")[0])

    def of(self, address: int) -> str:
        """Return the name of an address: its label, what lies there, or its digits.

        What is not the only one of its name has its first and last digits as well.
        """
        name = self._labels.get(address) or self._known.get(address)
        if name is None:
            return render_address(address)
        if self._times is None:
            self._times = Counter((self._known | self._labels).values())
        if self._times[name] == 1:
            return name
        digits = render_address(address)
        return f"{name}@{digits[:6]}…{digits[-4:]}"


def _below(frame: FrameResult) -> Iterator[FrameResult]:
    """Yield a frame and all below it, in the order in which they began."""
    waiting = [frame]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed([*each.children])
