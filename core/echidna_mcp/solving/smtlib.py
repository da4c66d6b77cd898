"""Queries as text: SMT-LIB 2.6, quantifier-free bit-vectors (QF_BV)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from echidna_mcp.solving.expressions import (
    BOOLEANS,
    Graph,
    Node,
    Symbol,
    Word,
    number_of,
)
from echidna_mcp.solving.words import BITS

_ONE: Final = f"(_ bv1 {BITS})"
_ZERO: Final = f"(_ bv0 {BITS})"

_PLAIN: Final[Mapping[str, str]] = {
    "add": "bvadd",
    "mul": "bvmul",
    "sub": "bvsub",
    "and": "bvand",
    "or": "bvor",
    "xor": "bvxor",
    "not": "bvnot",
    "lt": "bvult",
    "slt": "bvslt",
    "eq": "=",
}
_SHIFTS: Final[Mapping[str, str]] = {"shl": "bvshl", "shr": "bvlshr", "sar": "bvashr"}
_DIVISIONS: Final[Mapping[str, str]] = {
    "div": "bvudiv",
    "mod": "bvurem",
    "sdiv": "bvsdiv",
    "smod": "bvsrem",
}
"""By zero they are zero in the EVM, and something else in SMT-LIB."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A word that must be zero, or must not be."""

    word: Node
    holds: bool

    @property
    def symbols(self) -> int:
        """A bit for each symbol that it depends on."""
        return self.word.symbols


class Query(NamedTuple):
    """What a solver is asked.

    Attributes:
        text: a script of SMT-LIB.
        names: of the symbols that it declares, in the order of the graph. What stands
            in hashes alone is not among them: it stays as it is.
    """

    text: str
    names: tuple[str, ...]


def query_of(graph: Graph, conditions: Sequence[Condition]) -> Query:
    """Return a query for inputs which meet some conditions.

    Hashes stand for what they are in this run.
    """
    writer = _Writer(graph)
    claims = []
    for each in conditions:
        truth = writer.truth(each.word)
        claims.append(truth if each.holds else f"(not {truth})")
    lines = ["(set-logic QF_BV)", *writer.declarations, *writer.definitions]
    lines += [f"(assert {claim})" for claim in (*writer.limits, *claims)]
    declared = (each.name for each in graph.symbols if each.name in writer.declared)
    # Runs that share a graph have added the same inputs, each of them.
    names = tuple(dict.fromkeys(declared))
    return Query("\n".join([*lines, "(check-sat)"]), names)


class _Writer:
    """Writes each node once, after its operands."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names: dict[Node, str] = {}
        self.declared: set[str] = set()
        self.declarations: list[str] = []
        self.limits: list[str] = []
        self.definitions: list[str] = []

    def truth(self, word: Word) -> str:
        """Return, as a Bool, whether a word is not zero."""
        if isinstance(word, int):
            return "true" if word else "false"
        name = self._written(word)
        return name if word.op in BOOLEANS else f"(distinct {name} {_ZERO})"

    def word(self, word: Word) -> str:
        """Return a word as a bit-vector of 256 bits."""
        if isinstance(word, int):
            return f"(_ bv{word} {BITS})"
        name = self._written(word)
        return f"(ite {name} {_ONE} {_ZERO})" if word.op in BOOLEANS else name

    def _written(self, word: Node) -> str:
        """Return the name of a node; what it needs is written before it."""
        waiting = [word]
        while waiting:
            node = waiting[-1]
            if node in self._names:
                waiting.pop()
                continue
            if node.op not in ("symbol", "keccak"):
                missing = [
                    each
                    for each in node.args
                    if isinstance(each, Node) and each not in self._names
                ]
                if missing:
                    waiting += missing
                    continue
            waiting.pop()
            self._names[node] = self._define(node)
        return self._names[word]

    def _define(self, node: Node) -> str:
        if node.op == "symbol":
            return self._declare(self._graph.symbols[number_of(node)])
        if node.op == "keccak":
            return f"(_ bv{node.value} {BITS})"
        name = f"n{len(self._names)}"
        sort = "Bool" if node.op in BOOLEANS else f"(_ BitVec {BITS})"
        text = self._operation(node.op, node.args)
        self.definitions.append(f"(define-fun {name} () {sort} {text})")
        return name

    def _declare(self, symbol: Symbol) -> str:
        name, width = symbol.name, symbol.width
        self.declared.add(name)
        self.declarations.append(f"(declare-const {name} (_ BitVec {width}))")
        if symbol.most is not None:
            self.limits.append(f"(bvule {name} (_ bv{symbol.most} {width}))")
        if symbol.among:
            any_of = " ".join(f"(= {name} (_ bv{e} {width}))" for e in symbol.among)
            self.limits.append(f"(or {any_of} false)")
        if width == BITS:
            return name
        if symbol.kind == "high":
            return f"(concat {name} (_ bv0 {BITS - width}))"
        extend = "sign" if symbol.kind == "signed" else "zero"
        return f"((_ {extend}_extend {BITS - width}) {name})"

    def _operation(self, op: str, args: tuple[Word, ...]) -> str:
        if op == "iszero":
            return f"(not {self.truth(args[0])})"
        if op == "and" and isinstance(args[1], int) and not args[1] & (args[1] + 1):
            bits = args[1].bit_length()
            low = f"((_ extract {bits - 1} 0) {self.word(args[0])})"
            return f"((_ zero_extend {BITS - bits}) {low})"
        if op in _PLAIN:
            return f"({_PLAIN[op]} {' '.join(map(self.word, args))})"
        if op in _SHIFTS:
            return f"({_SHIFTS[op]} {self.word(args[1])} {self.word(args[0])})"
        if op in _DIVISIONS:
            return self._division(op, args[0], args[1])
        return _OTHERS[op](self, args)

    def _division(self, op: str, one: Word, two: Word) -> str:
        text = f"({_DIVISIONS[op]} {self.word(one)} {self.word(two)})"
        return self._unless_zero(two, text)

    def _unless_zero(self, divisor: Word, text: str) -> str:
        if isinstance(divisor, int):
            return text if divisor else _ZERO
        return f"(ite {self.truth(divisor)} {text} {_ZERO})"

    def wide(self, op: str, args: tuple[Word, ...]) -> str:
        """Return a sum or a product that is not cut before its remainder is taken."""
        more = BITS if op == "bvmul" else 1
        one, two, divisor = (
            f"((_ zero_extend {more}) {self.word(each)})" for each in args
        )
        rest = f"(bvurem ({op} {one} {two}) {divisor})"
        text = f"((_ extract {BITS - 1} 0) {rest})"
        return self._unless_zero(args[2], text)

    def fits(self, args: tuple[Word, ...]) -> str:
        """Return whether a product has no more bits than a word."""
        one, two = (f"((_ zero_extend {BITS}) {self.word(each)})" for each in args)
        high = f"((_ extract {2 * BITS - 1} {BITS}) (bvmul {one} {two}))"
        return f"(= {high} {_ZERO})"

    def sign_extend(self, args: tuple[Word, ...]) -> str:
        """Return a word with the sign of its low bytes in all others."""
        position, word = args
        if isinstance(position, int):
            bits = 8 * (position + 1)
            low = f"((_ extract {bits - 1} 0) {self.word(word)})"
            return f"((_ sign_extend {BITS - bits}) {low})"
        # Shifted up and, with its sign, down again; not at all from byte 31 on.
        up = f"(bvsub (_ bv248 {BITS}) (bvmul (_ bv8 {BITS}) {self.word(position)}))"
        text = self.word(word)
        moved = f"(bvashr (bvshl {text} {up}) {up})"
        far = f"(bvuge {self.word(position)} (_ bv31 {BITS}))"
        return f"(ite {far} {text} {moved})"

    def byte(self, args: tuple[Word, ...]) -> str:
        """Return a byte of a word, counted from its front."""
        position, word = map(self.word, args)
        down = f"(bvsub (_ bv248 {BITS}) (bvmul (_ bv8 {BITS}) {position}))"
        low = f"(bvand (bvlshr {word} {down}) (_ bv255 {BITS}))"
        return f"(ite (bvult {position} (_ bv32 {BITS})) {low} {_ZERO})"


_OTHERS: Final[Mapping[str, Callable[[_Writer, tuple[Word, ...]], str]]] = {
    "addmod": lambda writer, args: writer.wide("bvadd", args),
    "mulmod": lambda writer, args: writer.wide("bvmul", args),
    "signextend": _Writer.sign_extend,
    "byte": _Writer.byte,
    "fits": _Writer.fits,
}
