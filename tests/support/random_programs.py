"""Random EVM programs of which most end well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evm_assembler import OPCODES, assemble, creation_code, push

if TYPE_CHECKING:
    from random import Random

WORDS = [0, 1, 2, 3, 31, 32, 33, 64, 255, 256, 257, 1 << 128, (1 << 255) - 1, 1 << 255]
WORDS += [(1 << 256) - 1, (1 << 256) - 2, (1 << 160) - 1, 0x80, 0x8000]
UNARY = ["ISZERO", "NOT"]
BINARY = "ADD MUL SUB DIV SDIV MOD SMOD LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR"
BINARY_NAMES = [*BINARY.split(), "SIGNEXTEND"]
TERNARY = ["ADDMOD", "MULMOD"]
READS = "ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE"
READS += " COINBASE TIMESTAMP NUMBER GASLIMIT CHAINID SELFBALANCE BASEFEE PC MSIZE GAS"
READ_NAMES = [*READS.split(), "DIFFICULTY"]
PRECOMPILES = [2, 3, 4, 5]
CALLS = ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]


class Generator:
    """Makes programs that may call `contracts`."""

    def __init__(self, random: Random, contracts: list[int]) -> None:
        self.random = random
        self.contracts = contracts

    def word(self) -> int:
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.getrandbits(256)
        if kind == 1:
            return self.random.randrange(8)
        return self.random.choice(WORDS)

    def small(self) -> int:
        return self.random.choice([0, 1, 4, 31, 32, 33, 64, 100])

    def address(self) -> int:
        return self.random.choice([*self.contracts, *PRECOMPILES, 0x999, 0x10000])

    def value(self, depth: int = 0) -> bytes:  # noqa: C901, PLR0911 - a grammar
        """Return code that pushes one word."""
        choice, random = self.random.random(), self.random
        if choice < 0.35 or depth > 3:
            return push(self.word())
        if choice < 0.45:
            return assemble(random.choice(READ_NAMES))
        if choice < 0.7:
            name = random.choice(BINARY_NAMES)
            return self.value(depth + 1) + self.value(depth + 1) + assemble(name)
        if choice < 0.75:
            return self.value(depth + 1) + assemble(random.choice(UNARY))
        if choice < 0.78:
            inner = b"".join(self.value(depth + 2) for _ in range(3))
            return inner + assemble(random.choice(TERNARY))
        if choice < 0.82:
            return assemble(random.randrange(4), random.choice(["SLOAD", "TLOAD"]))
        if choice < 0.86:
            return assemble(self.small(), random.choice(["MLOAD", "CALLDATALOAD"]))
        if choice < 0.89:
            return assemble(self.small(), self.small(), "SHA3")
        if choice < 0.92:
            return assemble(random.randrange(300), self.word(), "EXP")
        if choice < 0.96:
            name = random.choice(["EXTCODESIZE", "EXTCODEHASH", "BALANCE"])
            return assemble(self.address(), name)
        return self.shuffled(depth)

    def shuffled(self, depth: int) -> bytes:
        """Return code that pushes a few words and keeps one, through DUP and SWAP."""
        count = self.random.randrange(2, 6)
        code = b"".join(self.value(depth + 2) for _ in range(count))
        for _ in range(4):
            if self.random.random() < 0.5:
                code += assemble(f"SWAP{self.random.randrange(1, count)}")
            else:
                code += assemble(f"DUP{self.random.randrange(1, count + 1)}")
                count += 1
        return code + assemble("POP " * (count - 1))

    def statement(self, depth: int = 0) -> bytes:  # noqa: PLR0911 - a grammar
        """Return code that leaves the stack as it was."""
        random, choice = self.random, self.random.random()
        if choice < 0.2:
            code = self.value() + assemble(random.randrange(4))
            return code + assemble(random.choice(["SSTORE", "SSTORE", "TSTORE"]))
        if choice < 0.4:
            name = random.choice(["MSTORE", "MSTORE", "MSTORE8"])
            return self.value() + assemble(self.small(), name)
        if choice < 0.5:
            return self.copy()
        if choice < 0.58:
            topics = random.randrange(5)
            code = b"".join(self.value(2) for _ in range(topics))
            return code + assemble(self.small(), self.small(), f"LOG{topics}")
        if choice < 0.75:
            return self.call()
        if choice < 0.8:
            return self.create()
        if depth < 2 and choice < 0.9:
            return self.branch(depth)
        if depth < 2 and choice < 0.94:
            return self.loop(depth)
        return self.value() + assemble("POP")

    def copy(self) -> bytes:
        name = self.random.choice(
            ["CALLDATACOPY", "CODECOPY", "MCOPY", "EXTCODECOPY", "RETURNDATACOPY"]
        )
        size = self.small()
        if name == "RETURNDATACOPY":
            return assemble("RETURNDATASIZE", 0, self.small(), name)
        code = assemble(size, self.small(), self.small())
        return code + assemble(
            *([self.address()] if name == "EXTCODECOPY" else []), name
        )

    def call(self) -> bytes:
        random = self.random
        name = random.choice(CALLS)
        code = assemble(self.small(), self.small(), self.small(), self.small())
        if name in {"CALL", "CALLCODE"}:
            code += assemble(random.choice([0, 0, 0, 1, 1000]))
        gas = random.choice([b"\x5a", b"\x5a", push(random.randrange(60_000))])
        code += assemble(self.address(), gas, name)
        return code + assemble(random.randrange(4, 8), "SSTORE")

    def create(self) -> bytes:
        random = self.random
        suicide = assemble("CALLER SELFDESTRUCT")
        init = creation_code(random.choice([b"", b"\x00", suicide, b"\xef"]))
        if random.random() < 0.3:
            init = random.choice(
                [assemble("0x1 0x0 SSTORE", init), assemble("0x0 0x0 REVERT")]
            )
        init = init[:32]
        name = random.choice(["CREATE", "CREATE2"])
        salt = [random.randrange(2)] if name == "CREATE2" else []
        value = random.choice([0, 0, 7])
        code = assemble(int.from_bytes(init.ljust(32, b"\0"), "big"), 0, "MSTORE")
        code += assemble(*salt, len(init), 0, value, name)
        if random.random() < 0.5:  # call what was created
            return code + assemble("0x0 0x0 0x0 0x0 0x0 DUP6 GAS CALL POP POP")
        return code + assemble("POP")

    def branch(self, depth: int) -> bytes:
        body = self.statement(depth + 1)
        condition = self.value(2)
        # PC relative: condition, PUSH2 offset, PC, ADD, JUMPI, body, JUMPDEST
        skip = assemble(b"\x61" + (len(body) + 3).to_bytes(2, "big"), "PC ADD JUMPI")
        return condition + skip + body + assemble("JUMPDEST")

    def loop(self, depth: int) -> bytes:
        body = self.statement(depth + 1)
        # counter, JUMPDEST, body, counter - 1, DUP1, back to JUMPDEST while not 0
        start = assemble(self.random.randrange(1, 6), "JUMPDEST")
        tail = assemble("0x1 SWAP1 SUB DUP1")
        back = len(body) + len(tail) + 4
        jump = assemble(b"\x61" + back.to_bytes(2, "big"), "PC SUB JUMPI POP")
        return start + body + tail + jump

    def noise(self) -> bytes:
        """Return something that often ends in a fault."""
        random = self.random
        raw = bytes(random.randrange(256) for _ in range(random.randrange(1, 8)))
        return random.choice(
            [
                raw,
                assemble("POP"),
                assemble(self.word(), "JUMP"),
                assemble(self.word(), self.word(), random.choice(["MSTORE", "SHA3"])),
                assemble(self.word(), "MLOAD"),
                assemble("0x1 0x40 0x0 RETURNDATACOPY"),
                bytes([0xFE]),
                assemble("JUMPDEST", 0) * 1030,
            ]
        )

    def ending(self) -> bytes:
        choice = self.random.random()
        if choice < 0.6:
            return self.value() + assemble("0x0 MSTORE 0x20 0x0 RETURN")
        if choice < 0.7:
            return assemble("STOP")
        if choice < 0.8:
            return b""
        if choice < 0.9:
            return assemble(self.small(), self.small(), "REVERT")
        return assemble(self.address(), "SELFDESTRUCT")

    def program(self) -> bytes:
        code = b"".join(self.statement() for _ in range(self.random.randrange(1, 12)))
        if self.random.random() < 0.15:
            code += self.noise()
        return code + self.ending()


FORBIDDEN = {OPCODES["BLOCKHASH"], 0x4A}
"""BLOCKHASH and BLOBBASEFEE: ours answer as Echidna does, not as a chain."""


def is_comparable(code: bytes) -> bool:
    """Whether a program executes no opcode on which the two differ on purpose."""
    at = 0
    while at < len(code):
        if code[at] in FORBIDDEN:
            return False
        at += 1 + (code[at] - 0x5F if 0x60 <= code[at] <= 0x7F else 0)
    return True
