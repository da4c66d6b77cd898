"""Compiled code: hot blocks of one program in LLVM IR, through the same emitters.

Each compiled *root* is a handler like any other. It begins with a block and goes on
into those that follow, as a tree: where it is known which block comes next, its code
stands right behind, and stack items stay IR values from block to block. What a PUSH has
put on the stack is a constant on all of that way, so the return address of an internal
function is known where it is used. A path ends where the tree gets too large, where a
loop begins anew, at a block that is not hot, and at jumps that have to look up. There
it stores the stack and goes on with another root, or with the handler in the stream.

Roots take the place of the handlers at the heads of their blocks, nothing else in the
stream changes: the interpreter can go on anywhere. Nothing in the IR depends on a
machine, since all places are distances from the head where the root was entered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

from echidna_mcp.kernel.compiler.access import FIXED
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.hot.blocks import (
    NO_BLOCK,
    Block,
    Blocks,
    Token,
)
from echidna_mcp_plugins.native.hot.operations import Operations
from echidna_mcp_plugins.native.interpreter.control import (
    BOUND_MASK,
    enter_blocks,
    known_depths,
    pass_blocks,
)
from echidna_mcp_plugins.native.interpreter.handler import (
    SLOT,
    UNLIKELY,
    StackUse,
)
from echidna_mcp_plugins.native.opcodes.isa import token_operations
from echidna_mcp_plugins.native.state.machine import BLOCK_ROW

MOST_TOKENS = 128
"""Of one tree. With 32, suites of handlers were compiled in two thirds of the time and
ran 4 to 15 % slower; longer ones repeat what others have, and run no faster."""
MOST_TOKENS_ALTOGETHER = 40_000
"""Of all trees of a program: a minute of compiling. What is left at the end is compiled
block by block."""
MOST_COPIES = 6
"""Of one block on one path."""


def symbol_of(block: Block) -> str:
    """Return the name of a root, without the `@`."""
    return f"root.{block.start}"


def write_roots(
    unit: Unit, blocks: Blocks, hot: Container[int], most_tokens: int
) -> list[Block]:
    """Add roots for the hot blocks of a program to a unit.

    Args:
        hot: program counters where hot blocks start.
        most_tokens: of one tree; a block is written to its end.

    Returns:
        The blocks that begin roots: where code may be entered from elsewhere, to which
        blocks lead that are not hot, where other roots end, and what no root has.
    """
    waiting = deque(_entries(blocks, hot))
    found = {block.start: block for block in waiting}
    reached = set[int]()
    others = iter([block for start, block in blocks.by_start.items() if start in hot])
    left = MOST_TOKENS_ALTOGETHER
    while True:
        if not waiting:
            # Where nobody knows what leads there.
            block = next((it for it in others if it.start not in reached), None)
            if block is None:
                return list(found.values())
            found[block.start] = block
            waiting.append(block)
        most = max(0, min(left, most_tokens))
        tree = Tree(unit, blocks, waiting.popleft(), hot, most)
        unit.add_ir(tree.write_tree())
        reached |= tree.reached
        left -= most - tree.tokens_left
        for start, block in tree.exits.items():
            if start not in found:
                found[start] = block
                waiting.append(block)


def _entries(blocks: Blocks, hot: Container[int]) -> Iterator[Block]:
    """Yield the hot blocks where frames begin or go on, and those behind cold ones."""
    entered = {0}
    for start, block in blocks.by_start.items():
        if block.follower and (start not in hot or _calls(block)):
            entered.add(block.follower.start)
        target = blocks.target(block.tokens[-1]) if block.tokens else None
        if target and start not in hot:
            entered.add(target.start)
    for start, block in blocks.by_start.items():
        if start in hot and start in entered:
            yield block


def _calls(block: Block) -> bool:
    """Whether the last token of a block enters frames."""
    if not block.tokens:
        return False
    opcode = token_operations().get(block.tokens[-1].number)
    return opcode is not None and opcode.flow is Flow.CALL


Place: TypeAlias = tuple[int, ...]


@dataclass(slots=True)
class Path:
    """Where a tree goes on: a block, and the stack before it.

    Attributes:
        label: where its code begins.
        values, low, loaded: see `Handler`.
        passed: the blocks on the way, and where they were each time (`Tree._place`).
    """

    label: str
    block: Block
    values: list[str]
    low: int
    loaded: dict[int, str]
    passed: dict[int, list[Place]]


@dataclass(slots=True)
class Run:
    """Blocks that follow each other whatever happens: they are entered at once.

    What the code of all but the last one does nobody can notice, neither the gas that
    is left nor what is told of the message depends on it.

    Attributes:
        line: number of the line that enters them; it is written when all are known.
        blocks: with the end of the stack at each, see `Operations._position`.
    """

    line: int
    blocks: list[tuple[Block, int]]


class Tree(Operations):
    """Writes one root.

    Attributes:
        exits: the hot blocks at which paths end, or to which return addresses lead that
            are on the stack then, by program counter.
        reached: program counters of the blocks that it has.
        tokens_left: how many more it may have; a block is written to its end.
    """

    def __init__(
        self, unit: Unit, blocks: Blocks, root: Block, hot: Container[int], most: int
    ) -> None:
        super().__init__(unit, f"@{symbol_of(root)}")
        self._blocks = blocks
        self._root = root
        self._hot = hot
        self.tokens_left = most
        self._waiting: deque[Path] = deque()
        self._passed: dict[int, list[Place]] = {}
        self._run: Run | None = None
        self._height = self._row = ""
        self.exits: dict[int, Block] = {}
        self.reached: set[int] = set()

    def write_tree(self) -> str:
        """Return the function."""
        # Machines share the code: it may know no address, only distances from where the
        # root was entered, in the stack and in the rows of blocks.
        stack, base = self.buffer("stack"), self.number("stack_base")
        top = self.value("ptrtoint ptr %sp to i64")
        bottom = self.value(f"ptrtoint ptr {stack} to i64")
        above = self.value(f"sub i64 {top}, {bottom}")
        self._height = self.value(f"sub i64 {above}, {base}")
        row = self._here(3)
        self._row = self.value(f"load i64, ptr {row}, align 8, {FIXED}")
        self._go_to(self._root)
        # The oldest branch first: what is near the root is worth more of the tokens.
        while self._waiting:
            path = self._waiting.popleft()
            self._values, self._low = path.values, path.low
            self._loaded, self._passed = path.loaded, path.passed
            self.begin(path.label)
            if self.tokens_left > 0:
                self._go_to(path.block)
            else:
                self._exit(path.block)
        return self.text("dso_local")

    # -------------------------------------------------------------------------- paths

    def _go_to(self, start: Block) -> None:
        """Write a path until it ends; what branches off waits."""
        block: Block | None = start
        while block is not None:
            self.reached.add(block.start)
            self._passed.setdefault(block.start, []).append(self._place())
            self.tokens_left -= len(block.tokens) + 1
            block = self._write_block(block)
            if block is not None and not self._may_go_on(block):
                self._exit(block)
                block = None

    def _may_go_on(self, block: Block) -> bool:
        """Whether the code of a block should stand behind the path that leads to it."""
        if block.start not in self._hot or self.tokens_left <= 0:
            return False
        places = self._passed.get(block.start, ())
        # Where it was before, a loop begins anew: its root goes on with it.
        return len(places) < MOST_COPIES and self._place() not in places

    def _place(self) -> Place:
        """Return what tells one call of an internal function from another one.

        That is the height of the stack and the return addresses on it.
        """
        found = [self._position()]
        for at, value in enumerate(self._values, self._low):
            if value.isdecimal() and int(value) in self._blocks.jumpdests:
                found += at, int(value)
        return tuple(found)

    def _branch_to(self, label: str, block: Block) -> None:
        """Make `label` the way to a block."""
        if self._may_go_on(block):
            self._waiting.append(
                Path(
                    label=label,
                    block=block,
                    values=list(self._values),
                    low=self._low,
                    loaded=dict(self._loaded),
                    passed={start: list(at) for start, at in self._passed.items()},
                )
            )
            return
        with self._at(label):
            self._exit(block)

    @contextmanager
    def _at(self, label: str) -> Iterator[None]:
        """Write the end of a path; another one goes on from where it branched off."""
        values, low, loaded = self._values.copy(), self._low, self._loaded.copy()
        self.begin(label)
        yield
        self._values, self._low, self._loaded = values, low, loaded

    def _flushed(self) -> str:
        """Store the stack: what uses its return addresses is outside of the tree."""
        for value in self._values:
            if value.isdecimal():
                block = self._blocks.jumpdests.get(int(value))
                if block is not None and block.start in self._hot:
                    self.exits[block.start] = block
        return super()._flushed()

    def _exit(self, block: Block) -> None:
        """Go on outside of the tree."""
        self._enter_run()
        sp, ip = self._flushed(), self._here(block.head - self._root.head)
        if block.start not in self._hot:
            self.go(sp, ip)
            return
        self.exits[block.start] = block
        self.go_to(f"@{symbol_of(block)}", sp, ip)

    # ------------------------------------------------------------------------- blocks

    def _write_block(self, block: Block) -> Block | None:
        """Write a block; return the one that comes next if there is only one."""
        position = self._position()
        if self._run is None:
            self._run = Run(len(self._lines), [])
            self.emit("")
        self._run.blocks.append((block, position))
        self._uses.append(StackUse(len(self._lines), position, position))
        for token in block.tokens:
            self._immediate = token.at - self._root.head
            if token.number in _JUMPS:
                return self._jump(block, token)
            if token.number in (decode.PUSH, decode.PUSH_WIDE):
                self._values.append(str(_pushed(token)))
                continue
            if not _is_silent(token.number):
                self._enter_run()
            if self._token(token.number):
                return None
        if block.follower and _calls(block):
            # Most calls enter a frame, and when that has ended it goes on with a root.
            # So do those that did not: cheatcodes, precompiles, accounts without code.
            self._exit(block.follower)
            return None
        return block.follower

    def _enter_run(self) -> None:
        """Write how the blocks of the run are entered."""
        if self._run is None:
            return
        run, self._run = self._run, None
        lines, self._lines = self._lines, []
        slowly, after = self.label(), self.label()
        passed = self._pass(run)
        refused = self.value(f"icmp eq i64 {passed}, 0")
        self.emit(f"br i1 {refused}, label %{slowly}, label %{after}, {UNLIKELY}")
        self.begin(slowly)
        entered = self._call(enter_blocks, self._height, self._row, *self._listed(run))
        self._fail_if(self.value(f"icmp eq i64 {entered}, 0"))
        self.emit(f"br label %{after}")
        self.begin(after)
        lines[run.line] = "\n".join(self._lines)
        self._lines = lines

    def _pass(self, run: Run) -> str:
        """Write the short way into the blocks of a run, see `pass_blocks`."""
        lows = [(block.bounds & BOUND_MASK) - SLOT * at for block, at in run.blocks]
        spans = [block.bounds >> 16 & BOUND_MASK for block, _ in run.blocks]
        lowest, highest = max(lows), min(map(add, lows, spans))
        if lowest > highest:
            return "0"
        rows = [
            self.value(f"add i64 {self._row}, {self._row_distance(block)}")
            for block, _ in run.blocks
        ]
        known = [self._call(known_depths, row) for row in rows]
        return self._call(
            pass_blocks,
            self.value(f"sub i64 {self._height}, {lowest}"),
            str(highest - lowest),
            str(sum(block.gas for block, _ in run.blocks)),
            str(sum(block.bounds >> 32 for block, _ in run.blocks)),
            reduce(lambda one, other: self.value(f"and i64 {one}, {other}"), known),
            rows[-1],
        )

    def _listed(self, run: Run) -> list[str]:
        """Return what `enter_blocks` takes as its blocks, and their number."""
        words = [
            str(word)
            for block, position in run.blocks
            for word in (
                SLOT * position,
                block.bounds,
                block.gas,
                self._row_distance(block),
            )
        ]
        table = f"{self._name}.run.{run.line}"
        listed = ", ".join(f"i64 {word}" for word in words)
        self._unit.add_ir(
            f"{table} = internal constant [{len(words)} x i64] [{listed}], align 8"
        )
        size = [str(len(words))] if self._unit.checked else []
        return [table, *size, str(len(run.blocks))]

    def _row_distance(self, block: Block) -> int:
        return BLOCK_ROW * (block.number - self._root.number)

    def _jump(self, block: Block, token: Token) -> Block | None:
        """Write the jump that ends a block; return as `_write_block`."""
        position, target = "", self._blocks.target(token)
        if target is None:
            position = self._pop()
            target = self._blocks.jumpdests.get(
                int(position) if position.isdecimal() else NO_BLOCK
            )
        is_certain = token.number in (decode.JUMP, decode.JUMP_TO)
        if target is None or not is_certain:
            self._enter_run()
        if is_certain:
            if target is None:
                self._dynamic_jump(position, self._flushed())
            return target
        condition = self._pop()
        other = block.follower
        assert other is not None, "a STOP follows the last block"
        if condition == "0":
            return other
        if condition.isdecimal():
            if target is None:
                self._dynamic_jump(position, self._flushed())
            return target
        taken, stayed = self.label(), self.label()
        met = self.value(f"icmp ne i256 {condition}, 0")
        self.emit(f"br i1 {met}, label %{taken}, label %{stayed}")
        if target is None:
            with self._at(taken):
                self._dynamic_jump(position, self._flushed())
        else:
            self._branch_to(taken, target)
        self._branch_to(stayed, other)
        return None


def _is_silent(token: int) -> bool:
    """Whether a token, no jump, does nothing but with words of the stack."""
    opcode = token_operations().get(token)
    return opcode is None or not (opcode.machine or opcode.fallible)


_JUMPS = (decode.JUMP, decode.JUMP_TO, decode.JUMPI, decode.JUMPI_TO)


def _pushed(token: Token) -> int:
    return sum(word << 64 * i for i, word in enumerate(token.immediates))
