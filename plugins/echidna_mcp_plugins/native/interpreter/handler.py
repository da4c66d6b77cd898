"""The LLVM IR of one handler: what a token or a superinstruction does.

A handler is a function of three pointers: the machine, the end of the top stack slot,
and its own word in the stream. It ends by calling the next handler in place of itself,
so the three stay in registers all the way.

Within a handler the stack is a list of IR values. Slots are loaded when they are first
needed and stored at the end, so that what one token pushes and the next one takes is
never in memory.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass

from echidna_mcp.kernel.compiler.access import FIELD, FIXED, MEMORY
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.interpreter.control import enter_block, jump_target
from echidna_mcp_plugins.native.opcodes.isa import token_operations
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED, Opcode
from echidna_mcp_plugins.native.state.machine import Machine

SLOT = 32
WORD = 8
LEAVE = "@h.leave"
"""The handler that ends the running frame."""
PARAMETERS = "ptr %m, ptr %sp, ptr %ip"
UNLIKELY = "!prof !100"
METADATA = '!100 = !{!"branch_weights", i32 1, i32 1048576}'

CONVENTION = (
    "preserve_nonecc" if platform.machine().lower() in {"x86_64", "amd64"} else "ccc"
)
"""Handlers keep no register of their callers, where LLVM knows how to do that."""


@dataclass(slots=True)
class StackUse:
    """The part of the stack that some lines use, in slots above the end of the stack.

    Attributes:
        line: number of the line before which the height of the stack was checked.
        low, high: the ends.
    """

    line: int
    low: int
    high: int


class Handler:
    """Writes one handler."""

    def __init__(self, unit: Unit, name: str) -> None:
        self._unit = unit
        self._name = name
        self._lines: list[str] = []
        self._names = 0
        self._failing = False
        self._values: list[str] = []
        self._low = 0
        """Where the lowest of `values` stands, in slots above the end of the stack."""
        self._loaded: dict[int, str] = {}
        """What is in memory already, by that position."""
        self._uses = [StackUse(line=0, low=0, high=0)]
        self._immediate = 1
        """Where the immediates of the token begin, in words after `ip`."""

    def write(self, run: Sequence[int]) -> str:
        """Return the function that does what some tokens say."""
        for token in run:
            ended = self._token(token)
            self._immediate += decode.immediate_words(token)
            if ended:
                break
        else:
            self.go(self._flushed(), self._here(self._immediate))
        return self.text()

    def text(self, linkage: str = "internal") -> str:
        """Return the function."""
        return (
            f"define {linkage} {CONVENTION} void {self._name}({PARAMETERS}) nounwind "
            f"{{\n{self.body()}\n}}"
        )

    def body(self) -> str:
        """Return its body."""
        lines = self._lines.copy()
        if self._unit.checked:
            for use in reversed(self._uses):
                if use.low != use.high:
                    lines[use.line : use.line] = self._stack_check(use)
        if self._failing:
            lines += ["fail:", *_tail(LEAVE, "%sp", "%ip")]
        return "\n".join(["entry:", *lines])

    # ------------------------------------------------------------------ instructions

    def emit(self, text: str) -> None:
        """Add a line."""
        self._lines.append("  " + text)

    def value(self, text: str) -> str:
        """Add an instruction; return the name of its result."""
        self._names += 1
        name = f"%v{self._names}"
        self.emit(f"{name} = {text}")
        return name

    def begin(self, label: str) -> None:
        """Begin a block."""
        self._lines.append(f"{label}:")

    def label(self) -> str:
        """Return a new label."""
        self._names += 1
        return f"b{self._names}"

    def field(self, name: str) -> str:
        """Return the address of a field of the machine."""
        at = self._unit.offset(Machine, name)
        return self.value(f"getelementptr inbounds i8, ptr %m, i64 {at}")

    def number(self, name: str) -> str:
        """Load a field of 64 bits."""
        return self.value(f"load i64, ptr {self.field(name)}, align 8, {FIELD}")

    def buffer(self, name: str) -> str:
        """Load the address of a buffer."""
        address = self.field(name)
        return self.value(f"load ptr, ptr {address}, align 8, {FIELD}, {FIXED}")

    def set_number(self, name: str, value: str) -> None:
        """Store a field of 64 bits."""
        self.emit(f"store i64 {value}, ptr {self.field(name)}, align 8, {FIELD}")

    def go(self, sp: str, ip: str) -> None:
        """Go on with the handler at `ip`."""
        handler = self.value(f"load ptr, ptr {ip}, align 8, {MEMORY}")
        self.go_to(handler, sp, ip)

    def go_to(self, handler: str, sp: str, ip: str) -> None:
        """Go on with a handler that is known."""
        self._lines += _tail(handler, sp, ip)

    def reload(self) -> tuple[str, str]:
        """Return `sp` and `ip` as the machine has them."""
        stack, top = self.buffer("stack"), self.number("stack_top")
        sp = self.value(f"getelementptr inbounds i8, ptr {stack}, i64 {top}")
        stream, resume = self.buffer("stream"), self.number("resume")
        ip = self.value(f"getelementptr inbounds i64, ptr {stream}, i64 {resume}")
        return sp, ip

    def branch(self, condition: str, yes: str, *, rare: bool) -> None:
        """Go to `yes` if the condition holds, else go on."""
        no = self.label()
        weights = f", {UNLIKELY}" if rare else ""
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}{weights}")
        self.begin(no)

    def _fail_if(self, condition: str) -> None:
        self._failing = True
        self.branch(condition, "fail", rare=True)

    def _here(self, words: int) -> str:
        """Return the address of a word after the handler."""
        return self.value(f"getelementptr inbounds i64, ptr %ip, i64 {words}")

    def _immediate_word(self, index: int, kind: str = "i64") -> str:
        # The stream that runs never changes.
        address = self._here(self._immediate + index)
        return self.value(f"load {kind}, ptr {address}, align 8, {FIXED}")

    # ------------------------------------------------------------------------- stack

    def _slot(self, position: int) -> str:
        use = self._uses[-1]
        use.low, use.high = min(use.low, position), max(use.high, position)
        if position == 0:
            return "%sp"
        return self.value(f"getelementptr inbounds i8, ptr %sp, i64 {SLOT * position}")

    def _need(self, count: int) -> None:
        """Have at least so many values at hand."""
        while len(self._values) < count:
            self._low -= 1
            address = self._slot(self._low)
            name = self.value(f"load i256, ptr {address}, align 8, {MEMORY}")
            self._loaded[self._low] = name
            self._values.insert(0, name)

    def _pop(self) -> str:
        self._need(1)
        return self._values.pop()

    def _flushed(self) -> str:
        """Store what memory does not have yet; return the end of the stack."""
        for position, value in enumerate(self._values, self._low):
            if self._loaded.get(position) != value:
                address = self._slot(position)
                self.emit(f"store i256 {value}, ptr {address}, align 8, {MEMORY}")
                self._loaded[position] = value
        return self._slot(self._low + len(self._values))

    def _stack_check(self, use: StackUse) -> list[str]:
        """Return lines that report slots outside of the stack (checked mode)."""
        before, self._lines = self._lines, []
        stack = self.buffer("stack")
        size_at = self._unit.offset(Machine, "stack") + WORD
        address = self.value(f"getelementptr inbounds i8, ptr %m, i64 {size_at}")
        size = self.value(f"load i64, ptr {address}, align 8, {FIELD}, {FIXED}")
        top = self._distance("%sp", stack)
        low = self.value(f"icmp sge i64 {top}, {-SLOT * use.low}")
        end = self.value(f"add i64 {top}, {SLOT * use.high}")
        high = self.value(f"icmp sle i64 {end}, {size}")
        good = self.value(f"and i1 {low}, {high}")
        site = self._unit.site(f"{self._name}: outside of the stack")
        self.emit(f"call void @kernel.check(i1 {good}, i64 {site})")
        lines, self._lines = self._lines, before
        return lines

    # ------------------------------------------------------------------------ tokens

    def _token(self, token: int) -> bool:  # noqa: C901 - a case a token
        """Write a token; return whether the handler has ended."""
        match token:
            case decode.BLOCK:
                self._block()
            case decode.PUSH0:
                self._values.append("0")
            case decode.PUSH:
                word = self._immediate_word(0)
                self._values.append(self.value(f"zext i64 {word} to i256"))
            case decode.PUSH_WIDE:
                self._values.append(self._immediate_word(0, "i256"))
            case decode.POP:
                self._drop()
            case decode.JUMP_TO:
                self.go(self._flushed(), self._static_target())
                return True
            case decode.JUMPI_TO:
                self._static_branch()
            case decode.JUMP:
                position = self._pop()
                self._dynamic_jump(position, self._flushed())
                return True
            case decode.JUMPI:
                self._dynamic_branch()
            case _ if decode.DUP1 <= token <= decode.DUP16:
                depth = token - decode.DUP1 + 1
                self._need(depth)
                self._values.append(self._values[-depth])
            case _ if decode.SWAP1 <= token <= decode.SWAP16:
                depth = token - decode.SWAP1 + 2
                self._need(depth)
                values = self._values
                values[-1], values[-depth] = values[-depth], values[-1]
            case _:
                return self._operate(token_operations()[token])
        return False

    def _drop(self) -> None:
        if self._values:
            self._values.pop()
        else:
            self._low -= 1

    def _block(self) -> None:
        """Write the head of a block, which is the first token of its handler."""
        assert not self._values
        assert self._low == 0
        stack, base = self.buffer("stack"), self.number("stack_base")
        bottom = self.value(f"getelementptr inbounds i8, ptr {stack}, i64 {base}")
        top = self.value("ptrtoint ptr %sp to i64")
        low = self.value(f"ptrtoint ptr {bottom} to i64")
        height = self.value(f"sub i64 {top}, {low}")
        words = [self._immediate_word(i) for i in range(3)]
        entered = self._call(enter_block, height, *words)
        self._fail_if(self.value(f"icmp eq i64 {entered}, 0"))
        self._uses[-1].line = len(self._lines)

    def _call(self, function: object, *operands: str) -> str:
        compiled = self._unit.require(function)
        text = compiled.call("%m", *operands)
        if compiled.result is None:
            self.emit(text)
            return ""
        return self.value(text)

    # ------------------------------------------------------------------------- jumps

    def _static_target(self) -> str:
        immediate = self._here(self._immediate)
        distance = self._immediate_word(0)
        return self.value(f"getelementptr i64, ptr {immediate}, i64 {distance}")

    def _static_branch(self) -> None:
        condition = self.value(f"icmp ne i256 {self._pop()}, 0")
        sp = self._flushed()
        taken, other = self.label(), self.label()
        self.emit(f"br i1 {condition}, label %{taken}, label %{other}")
        self.begin(taken)
        self.go(sp, self._static_target())
        self.begin(other)

    def _dynamic_branch(self) -> None:
        position = self._pop()
        condition = self.value(f"icmp ne i256 {self._pop()}, 0")
        sp = self._flushed()
        taken, other = self.label(), self.label()
        self.emit(f"br i1 {condition}, label %{taken}, label %{other}")
        self.begin(taken)
        self._dynamic_jump(position, sp)
        self.begin(other)

    def _dynamic_jump(self, position: str, sp: str) -> None:
        target = self._call(jump_target, position)
        self._fail_if(self.value(f"icmp eq i64 {target}, 0"))
        stream = self.buffer("stream")
        self.go(sp, self.value(f"getelementptr i64, ptr {stream}, i64 {target}"))

    # ----------------------------------------------------------------------- opcodes

    def _operate(self, opcode: Opcode) -> bool:
        """Write an opcode that has a function."""
        operands = [self._pop() for _ in range(opcode.pops)]
        if opcode.flow is Flow.CALL:
            self._save()
        compiled = self._unit.require(opcode.function)
        machine = ["%m"] if opcode.machine else []
        text = compiled.call(*machine, *operands)
        result = ""
        if opcode.pushes:
            result = self.value(text)
        else:
            self.emit(text)
        if opcode.flow is Flow.END:
            self.go_to(LEAVE, "%sp", "%ip")
            return True
        if opcode.fallible:
            self._fail_if(self.value(f"icmp ne i64 {self.number('fault')}, 0"))
        if opcode.flow is Flow.CALL:
            self._enter(result)
        if result:
            self._values.append(result)
        return False

    def _save(self) -> None:
        """Tell the machine where the frame goes on after the call."""
        top, stack = self._flushed(), self.buffer("stack")
        self.set_number("stack_top", self._distance(top, stack))
        after, stream = self._here(self._immediate), self.buffer("stream")
        bytes_ = self._distance(after, stream)
        self.set_number("resume", self.value(f"lshr exact i64 {bytes_}, 3"))

    def _distance(self, address: str, start: str) -> str:
        high = self.value(f"ptrtoint ptr {address} to i64")
        low = self.value(f"ptrtoint ptr {start} to i64")
        return self.value(f"sub i64 {high}, {low}")

    def _enter(self, result: str) -> None:
        """Go on in another frame if the opcode has entered one."""
        entered, stayed = self.label(), self.label()
        sentinel = ENTERED if ENTERED < 1 << 255 else ENTERED - (1 << 256)
        condition = self.value(f"icmp eq i256 {result}, {sentinel}")
        self.emit(f"br i1 {condition}, label %{entered}, label %{stayed}")
        self.begin(entered)
        self.go(*self.reload())
        self.begin(stayed)


def _tail(handler: str, sp: str, ip: str) -> list[str]:
    arguments = f"ptr %m, ptr {sp}, ptr {ip}"
    return [
        f"  musttail call {CONVENTION} void {handler}({arguments}) nounwind",
        "  ret void",
    ]
