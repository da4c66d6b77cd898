"""Random EVM programs of which most end well.

Together they use every opcode: programs are sequences of statements that leave the
stack as it was and stay within what a few hundred thousand gas can pay, so that a fault
is the exception and long runs are the rule. Faults of all kinds are sown in on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from evm_assembler import OPCODES, assemble, creation_code, push

from echidna_mcp.evm.fork import HISTORY_ADDRESS, ForkName, is_older

T = TypeVar("T")

WORDS = [0, 1, 2, 3, 31, 32, 33, 64, 255, 256, 257, 1 << 128, (1 << 255) - 1, 1 << 255]
WORDS += [(1 << 256) - 1, (1 << 256) - 2, (1 << 160) - 1, 0x80, 0x8000]
UNARY = ["ISZERO", "NOT"]
BINARY = "ADD MUL SUB DIV SDIV MOD SMOD LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR"
BINARY_NAMES = [*BINARY.split(), "SIGNEXTEND"]
TERNARY = ["ADDMOD", "MULMOD"]
READS = "ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE"
READS += " COINBASE TIMESTAMP NUMBER GASLIMIT CHAINID SELFBALANCE BASEFEE PC MSIZE GAS"
READ_NAMES = [*READS.split(), "DIFFICULTY"]
CALLS = ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]
SLOTS = 6
CLZ = b"\x1e"
COPIES = ["CALLDATACOPY", "CODECOPY", "MCOPY", "EXTCODECOPY", "RETURNDATACOPY"]
SINCE_CANCUN = {"TLOAD", "TSTORE", "MCOPY"}
NOT_SHANGHAI = [0x49, 0x4A, 0x5C, 0x5D, 0x5E]
"""BLOBHASH, BLOBBASEFEE, TLOAD, TSTORE, MCOPY."""

_CHEAP_PRECOMPILES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x100]
_MAX_DEPTH = 3
_DEEP = [17, 17, 17, 40, 300, 990]
_ROUNDS = 12
_BLAKE_SIZE = 213


class Generator:
    """Makes programs that may call `contracts`.

    Args:
        like_py_evm: leave out what the seam and unmodified py-evm answer differently on
            purpose: BLOCKHASH, blobs, MODEXP of nothing.
    """

    def __init__(
        self,
        random: Random,
        contracts: list[int],
        *,
        fork: ForkName = "cancun",
        like_py_evm: bool = False,
    ) -> None:
        self.random = random
        self.contracts = contracts
        self.fork = fork
        self.like_py_evm = like_py_evm
        self.cancun = not is_older(fork, "cancun")
        self.prague = not is_older(fork, "prague")

    def pick(self, choices: list[tuple[int, T]]) -> T:
        """Return one of (weight, choice)."""
        at = self.random.randrange(sum(weight for weight, _ in choices))
        for weight, choice in choices:
            if at < weight:
                return choice
            at -= weight
        raise AssertionError

    # ----------------------------------------------------------------- words

    def word(self) -> int:
        """Return a word to push."""
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.getrandbits(256)
        if kind == 1:
            return self.random.randrange(8)
        return self.random.choice(WORDS)

    def small(self) -> int:
        """Return an offset or a size in memory."""
        return self.random.choice([0, 1, 4, 31, 32, 33, 64, 100])

    def address(self) -> int:
        """Return an address to look at or to call."""
        if self.random.random() < 0.6:
            return self.random.choice(self.contracts)
        return self.random.choice([*_CHEAP_PRECOMPILES, 0x999, 0x10000, 0])

    # ---------------------------------------------------------------- values

    def value(self, depth: int = 0) -> bytes:
        """Return code that pushes one word."""
        if depth > _MAX_DEPTH:
            return push(self.word())
        make: Callable[[int], bytes] = self.pick(
            [
                (30, lambda _: push(self.word())),
                (10, lambda _: assemble(self.random.choice(READ_NAMES))),
                (25, self._binary),
                (6, self._unary),
                (4, self._ternary),
                (4, self._load),
                (5, self._read_memory),
                (4, lambda _: assemble(self.small(), self.small(), "SHA3")),
                (3, self._power),
                (4, self._account),
                (5, self._shuffled),
                (2, self._chain),
            ]
        )
        return make(depth)

    def _binary(self, depth: int) -> bytes:
        name = self.random.choice(BINARY_NAMES)
        return self.value(depth + 1) + self.value(depth + 1) + assemble(name)

    def _unary(self, depth: int) -> bytes:
        names = [*map(assemble, UNARY), *([CLZ] if self.fork == "osaka" else [])]
        return self.value(depth + 1) + self.random.choice(names)

    def _ternary(self, depth: int) -> bytes:
        inner = b"".join(self.value(depth + 2) for _ in range(3))
        return inner + assemble(self.random.choice(TERNARY))

    def _load(self, depth: int) -> bytes:
        slot = push(self.random.randrange(SLOTS))
        if self.random.random() < 0.1:
            slot = self.value(depth + 1)
        return slot + assemble(self.random.choice(self._newer("SLOAD", "TLOAD")))

    def _read_memory(self, depth: int) -> bytes:
        if self.random.random() < 0.1:  # calldata can be read anywhere
            return self.value(depth + 1) + assemble("CALLDATALOAD")
        return assemble(self.small(), self.random.choice(["MLOAD", "CALLDATALOAD"]))

    def _power(self, depth: int) -> bytes:
        exponent = self.random.choice([self.random.randrange(300), self.word()])
        return push(exponent) + self.value(depth + 2) + assemble("EXP")

    def _account(self, _: int) -> bytes:
        name = self.random.choice(["EXTCODESIZE", "EXTCODEHASH", "BALANCE"])
        return assemble(self.address(), name)

    def _shuffled(self, depth: int) -> bytes:
        """Return code that pushes some words and keeps one, through DUP and SWAP."""
        count = self.random.randrange(2, 6)
        code = b"".join(self.value(depth + 2) for _ in range(count))
        if self.random.random() < 0.3:
            more = self.random.choice(_DEEP)
            code += assemble("DUP1") * more
            count += more
        for _ in range(4):
            if self.random.random() < 0.5:
                code += assemble(f"SWAP{self.random.randint(1, min(count - 1, 16))}")
            else:
                code += assemble(f"DUP{self.random.randint(1, min(count, 16))}")
                count += 1
        return code + assemble("POP") * (count - 1)

    def _chain(self, _: int) -> bytes:
        if self.like_py_evm:
            return assemble("CHAINID")
        back = assemble(self.random.choice([0, 1, 2, 255, 256, 257]), "NUMBER SUB")
        return self.random.choice(
            [
                back + assemble("BLOCKHASH"),
                push(self.word()) + assemble("BLOCKHASH"),
                *([self._ring()] if self.prague else []),
                *(self._blobs() if self.cancun else []),
            ]
        )

    def _blobs(self) -> list[bytes]:
        return [assemble(self.random.randrange(3), b"\x49"), b"\x4a"]

    def _ring(self) -> bytes:
        """Return code that asks the contract of EIP-2935 for a hash, and pushes it."""
        back = self.random.choice([0, 1, 2, 300, 1999, 8191, 8192])
        number = self.pick([(8, assemble(back, "NUMBER SUB")), (1, push(self.word()))])
        size = self.pick([(8, push(32)), (1, push(self.small()))])
        call = assemble(32, 0) + size + assemble(0)
        name = self.random.choice(["STATICCALL", "STATICCALL", "DELEGATECALL", "CALL"])
        value = assemble(0) if name == "CALL" else b""
        call += value + push(HISTORY_ADDRESS) + assemble(30_000, name, "POP 0x0 MLOAD")
        return number + assemble(0, "MSTORE") + call

    def _newer(self, *names: str) -> list[str]:
        """Return names of opcodes without those that the fork does not have."""
        return [name for name in names if self.cancun or name not in SINCE_CANCUN]

    # ------------------------------------------------------------ statements

    def statement(self, depth: int = 0) -> bytes:
        """Return code that leaves the stack as it was."""
        inner = [(10, self._branch), (6, self._loop)] if depth < 2 else []
        make: Callable[[int], bytes] = self.pick(
            [
                (18, self._store),
                (18, self._write_memory),
                (9, self._copy),
                (8, self._log),
                (16, self._call),
                (4, self._precompile),
                (6, self._create),
                (3, self._jump),
                (3, self._decision),
                (5, lambda _: self.value() + assemble("POP")),
                *inner,
            ]
        )
        return make(depth)

    def _store(self, _: int) -> bytes:
        name = self.random.choice(self._newer("SSTORE", "SSTORE", "TSTORE"))
        return self.value() + assemble(self.random.randrange(SLOTS), name)

    def _write_memory(self, _: int) -> bytes:
        name = self.random.choice(["MSTORE", "MSTORE", "MSTORE8"])
        return self.value() + assemble(self.small(), name)

    def _copy(self, _: int) -> bytes:
        name = self.random.choice(self._newer(*COPIES))
        if name == "RETURNDATACOPY":
            return assemble("RETURNDATASIZE", 0, self.small(), name)
        size, source = push(self.small()), push(self.small())
        if name != "MCOPY" and self.random.random() < 0.1:  # far behind the end
            source = push(self.word())
        account = [self.address()] if name == "EXTCODECOPY" else []
        return size + source + assemble(self.small(), *account, name)

    def _log(self, _: int) -> bytes:
        topics = self.random.randrange(5)
        code = b"".join(self.value(2) for _ in range(topics))
        return code + assemble(self.small(), self.small(), f"LOG{topics}")

    def _gas(self) -> bytes:
        """Return code that pushes gas for a call; little, so that callers go on."""
        return self.pick(
            [
                (2, assemble("GAS")),
                (3, assemble("0x2 GAS DIV")),
                (8, push(self.random.randrange(3_000, 60_000))),
                (1, push(self.random.choice([0, 1, 2300]))),
            ]
        )

    def _call(self, _: int) -> bytes:
        random = self.random
        name = random.choice(CALLS)
        code = assemble(self.small(), self.small(), self.small(), self.small())
        if name in {"CALL", "CALLCODE"}:
            code += assemble(random.choice([0, 0, 0, 1, 1000]))
        code += push(self.address()) + self._gas() + assemble(name)
        after = [
            assemble(random.randrange(SLOTS), "SSTORE"),
            assemble(random.randrange(SLOTS), self._newer("SSTORE", "TSTORE")[-1]),
            assemble(self.small(), "MSTORE"),
            assemble("POP RETURNDATASIZE", 0, self.small(), "RETURNDATACOPY"),
        ]
        return code + random.choice(after)

    def _precompile(self, _: int) -> bytes:
        """Return a call of a precompile with sensible input."""
        random = self.random
        if random.random() < 0.5:  # MODEXP of small numbers
            sizes = [random.choice([0, 1, 2, 3, 32, 33]) for _ in range(3)]
            if self.like_py_evm:
                sizes[0] = max(sizes[0], 1)
            code = b"".join(
                assemble(size, 32 * at, "MSTORE") for at, size in enumerate(sizes)
            )
            code += assemble(self.word(), 96, "MSTORE", self.word(), 128, "MSTORE")
            call = assemble(sizes[2], 0, 96 + sum(sizes), 0, 0, 5)
        else:  # BLAKE2F
            first = random.randrange(_ROUNDS) << 224 | random.getrandbits(224)
            code = assemble(first, 0, "MSTORE", self.word(), 100, "MSTORE")
            code += assemble(random.choice([0, 1, 1, 2]), 212, "MSTORE8")
            call = assemble(64, 0, _BLAKE_SIZE, 0, 0, 9)
        return code + call + assemble("GAS CALL POP 0x0 MLOAD 0x5 SSTORE")

    def _create(self, _: int) -> bytes:
        random = self.random
        init = self.init_code()[:64]
        name = random.choice(["CREATE", "CREATE2"])
        salt = [random.randrange(2)] if name == "CREATE2" else []
        padded = init.ljust(64, b"\0")
        code = assemble(int.from_bytes(padded[:32], "big"), 0, "MSTORE")
        code += assemble(int.from_bytes(padded[32:], "big"), 32, "MSTORE")
        code += assemble(*salt, len(init), 0, random.choice([0, 0, 7]), name)
        if random.random() < 0.5:  # call what was created
            return code + assemble("0x0 0x0 0x0 0x0 0x0 DUP6 GAS CALL POP POP")
        return code + assemble(random.randrange(SLOTS), "SSTORE")

    def init_code(self) -> bytes:
        """Return short creation code."""
        random = self.random
        store = self._newer("SSTORE", "TSTORE")[-1]
        runtime: bytes = self.pick(
            [
                (2, b""),
                (2, b"\x00"),
                (2, assemble("CALLER SELFDESTRUCT")),
                (2, assemble("0x0 SLOAD 0x1 ADD 0x0 SSTORE")),
                (2, assemble("0x1 0x0", store, "0x0 CALLDATALOAD 0x0 MSTORE")),
                (1, b"\xef"),
            ]
        )
        plain = creation_code(runtime)
        return self.pick(
            [
                (6, plain),
                (2, assemble("0x1 0x0 SSTORE CALLVALUE 0x1 SSTORE")),
                (1, assemble("0x0 0x0 REVERT")),
                (1, assemble("ADDRESS SELFDESTRUCT")),
                (1, assemble(random.choice(self.contracts), "SELFDESTRUCT")),
                (1, assemble("0x0 0x0 0x0 CREATE 0x0 SSTORE 0x1 0x0 RETURN")),
            ]
        )

    def _branch(self, depth: int) -> bytes:
        body = self.statement(depth + 1)
        # condition, PUSH2 offset, PC, ADD, JUMPI, body, JUMPDEST
        skip = assemble(b"\x61" + (len(body) + 3).to_bytes(2, "big"), "PC ADD JUMPI")
        return self.value(2) + skip + body + assemble("JUMPDEST")

    def _decision(self, _: int) -> bytes:
        """Return a comparison as compilers write it, mostly of words that differ."""
        name = self.random.choice(["SUB", "XOR", "EQ ISZERO"])
        zeros = "ISZERO " * self.random.choice([1, 1, 3])
        return self.value(2) + self.value(2) + assemble(name, zeros, 0, "JUMPI")

    def _jump(self, _: int) -> bytes:
        """Return a jump over bytes that are never executed."""
        data = self.random.randbytes(self.random.randrange(1, 20)) + bytes(32)
        skip = assemble(b"\x61" + (len(data) + 3).to_bytes(2, "big"), "PC ADD JUMP")
        return skip + data + assemble("JUMPDEST")

    def _loop(self, depth: int) -> bytes:
        body = self.statement(depth + 1)
        # counter, JUMPDEST, body, counter - 1, DUP1, back to JUMPDEST while not 0
        start = assemble(self.random.randrange(1, 6), "JUMPDEST")
        tail = assemble("0x1 SWAP1 SUB DUP1")
        back = len(body) + len(tail) + 4
        jump = assemble(b"\x61" + back.to_bytes(2, "big"), "PC SUB JUMPI POP")
        return start + body + tail + jump

    # -------------------------------------------------------------- programs

    def noise(self) -> bytes:
        """Return something that often ends in a fault."""
        random = self.random
        raw = random.randbytes(random.randrange(1, 8))
        undefined = [0x0C, 0x1F, 0x21, 0x4B, 0xA5, 0xB0, 0xEF]
        if self.fork != "osaka":
            undefined += CLZ
        if not self.cancun:
            undefined += NOT_SHANGHAI
        return random.choice(
            [
                raw,
                assemble("POP"),
                assemble(self.word(), "JUMP"),
                assemble(self.word(), self.word(), random.choice(["MSTORE", "SHA3"])),
                assemble(self.word(), "MLOAD"),
                assemble("0x1 0x40 0x0 RETURNDATACOPY"),
                assemble("INVALID"),
                bytes([random.choice(undefined)]),
                assemble("JUMPDEST", 0) * 1030,
            ]
        )

    def ending(self) -> bytes:
        """Return code that ends the frame."""
        to = self.random.choice([*self.contracts, 0x999])
        return self.pick(
            [
                (10, self.value() + assemble("0x0 MSTORE 0x20 0x0 RETURN")),
                (2, assemble(self.small(), self.small(), "RETURN")),
                (2, assemble("STOP")),
                (2, b""),
                (1, assemble(self.small(), self.small(), "REVERT")),
                (2, assemble(to, "SELFDESTRUCT")),
            ]
        )

    def program(self) -> bytes:
        """Return runtime code."""
        code = b"".join(self.statement() for _ in range(self.random.randrange(1, 12)))
        if self.random.random() < 0.08:
            code += self.noise()
        return code + self.ending()


_UNCOMPARABLE = {OPCODES["BLOCKHASH"], 0x49, 0x4A}
"""BLOCKHASH, BLOBHASH and BLOBBASEFEE: ours answer as the seam says, not as a chain."""


def is_comparable(code: bytes, fork: ForkName) -> bool:
    """Whether a program executes nothing that unmodified py-evm does otherwise."""
    # `block_rules` knows the opcodes of Cancun.
    unlike = _UNCOMPARABLE | ({*NOT_SHANGHAI} if fork == "shanghai" else set())
    at = 0
    while at < len(code):
        if code[at] in unlike:
            return False
        at += 1 + (code[at] - 0x5F if 0x60 <= code[at] <= 0x7F else 0)
    return True
