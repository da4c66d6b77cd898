"""Expressions over the inputs of a sequence, each with its value in the run at hand.

A `Word` is an integer as long as no input decides it, else a `Node`. Equal nodes of a
graph are one object (hash-consing), so that what a query shares it shares in text, and
comparing two of them is cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

from echidna_mcp.solving.words import BITS, MASK, OPERATIONS

BOOLEANS: Final = frozenset({"lt", "slt", "eq", "iszero", "fits"})
"""Operations whose result is 0 or 1; `gt` and `sgt` are written with these."""
_COMMUTATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "eq", "fits"})
_POWER_BITS: Final = 8
_ASSOCIATIVE: Final = frozenset({"add", "mul", "and", "or", "xor"})

SymbolKind: TypeAlias = Literal["unsigned", "signed", "high"]
"""How the bits of a symbol become a word: zeros or its sign in front of it, or zeros
behind it."""


class Node:
    """A word that depends on inputs.

    Attributes:
        op: one of `words.OPERATIONS`, `symbol`, or `keccak`.
        args: its operands; of a symbol its number; of a hash the words of what was
            hashed, each with so many bytes of it as tell `sizes`.
        value: what it is in this run.
        symbols: a bit for each symbol that it depends on.
        bits: it has at most so many.
        hashes: the hashes in it, in order.
    """

    __slots__ = ("args", "bits", "hashes", "op", "symbols", "value")

    def __init__(
        self,
        op: str,
        args: tuple[Word, ...],
        value: int,
        symbols: int,
        bits: int,
        hashes: tuple[Node, ...],
    ) -> None:
        self.op = op
        self.args = args
        self.value = value
        self.symbols = symbols
        self.bits = bits
        self.hashes = hashes


Word: TypeAlias = int | Node


Pieces: TypeAlias = tuple[tuple[Word, int], ...]
"""Bytes as words, each with how many of its low bytes are meant."""

Template: TypeAlias = tuple[bytes | int, ...]
"""Bytes that are known, and of those that depend on inputs, word by word, how many."""

Find: TypeAlias = Callable[[int, Template], bytes | None]
"""Returns what fits a template and has a hash, if that is known."""


def nothing_known(_hash: int, _template: Template) -> bytes | None:
    """Return that nobody knows what a hash is of."""
    return None


def value_of(word: Word) -> int:
    """Return what a word is in this run."""
    return word if isinstance(word, int) else word.value


@dataclass(frozen=True, slots=True)
class Symbol:
    """An input: so many bits of a word.

    Attributes:
        most: its greatest value, if its bits allow for more.
        among: what it must be one of, if that is not all.
    """

    name: str
    width: int
    kind: SymbolKind = "unsigned"
    most: int | None = None
    among: tuple[int, ...] = ()

    def word(self, value: int) -> int:
        """Return the word that some value of its bits makes."""
        if self.kind == "high":
            return value << (BITS - self.width)
        if self.kind == "signed" and value >> (self.width - 1):
            return (value - (1 << self.width)) & MASK
        return value


class Graph:
    """The expressions of one run."""

    def __init__(self, find: Find = nothing_known) -> None:
        """Begin without any.

        Args:
            find: asked for what nothing of the run has hashed.
        """
        self._find = find
        self.symbols: list[Symbol] = []
        self.preimages: dict[int, Pieces] = {}
        """What has been hashed, by the hash, as it is in this run."""
        self._hashed: dict[Node, Pieces] = {}
        self._templates: dict[Node, Callable[[], Template]] = {}
        self._nodes: dict[tuple[str, tuple[Word, ...]], Node] = {}

    def symbol(self, symbol: Symbol, value: int) -> Node:
        """Add an input that is `value`, as a word, in this run."""
        number = len(self.symbols)
        self.symbols.append(symbol)
        bits = symbol.width if symbol.kind == "unsigned" else BITS
        return Node("symbol", (number,), value, 1 << number, bits, ())

    def make(self, op: str, *args: Word) -> Word:
        """Return what an operation makes of words."""
        if all(isinstance(each, int) for each in args):
            return OPERATIONS[op](*args)
        return self._simple(op, args)

    def keccak(
        self, value: int, pieces: Pieces, template: Callable[[], Template] = tuple
    ) -> Word:
        """Return the hash of some bytes.

        Args:
            value: the hash of what the bytes are in this run.
            pieces: words, each with the number of its low bytes that are hashed.
            template: returns which of the bytes are known.
        """
        self.preimages[value] = tuple((value_of(w), size) for w, size in pieces)
        args = tuple(word for word, _ in pieces)
        if all(isinstance(each, int) for each in args):
            return value
        sizes = tuple(size for _, size in pieces)
        key = (f"keccak{sizes}", args)
        node = self._nodes.get(key)
        if node is None:
            symbols = _symbols(args)
            node = Node("keccak", args, value, symbols, BITS, ())
            node.hashes = (node,)
            self._nodes[key] = node
            self._hashed[node] = pieces
            self._templates[node] = template
        return node

    def truth(self, word: Node) -> Word:
        """Return a word that is zero if and only if this one is.

        Compilers branch on the difference of what they compare. Of hashes it is written
        as the comparison that it is.
        """
        same = self._equal_to(word)
        return word if same is None else self.make("iszero", same)

    def _equal_to(self, difference: Node) -> Word | None:
        """Return whether a difference from a hash is zero; None if it is none."""
        if difference.op not in ("add", "sub", "xor"):
            return None
        one, two = difference.args
        if difference.op == "add":
            if not isinstance(two, int):
                return None
            two = -two & MASK
        hashes = all(isinstance(e, int) or e.op == "keccak" for e in (one, two))
        return self.make("eq", one, two) if hashes else None

    def as_hashed(self, node: Node) -> Word:
        """Return whether what a hash is of is what it is of in this run."""
        return self._equal_pieces(self._hashed[node], self.preimages[node.value])

    # ------------------------------------------------------------- simplifying

    def _simple(self, op: str, args: tuple[Word, ...]) -> Word:
        if op in ("gt", "sgt"):
            op, args = ("lt" if op == "gt" else "slt"), (args[1], args[0])
        if len(args) == 1:
            found = self._simple_one(op, args[0])
        elif len(args) == 2:
            one, two = args
            swapped = op in _COMMUTATIVE and (
                isinstance(one, int) or (op, (two, one)) in self._nodes
            )
            if swapped:
                one, two = two, one
            args = (one, two)
            found = self._simple_two(op, one, two)
        else:
            found = None
        return self._node(op, args) if found is None else found

    def _node(self, op: str, args: tuple[Word, ...]) -> Node:
        node = self._nodes.get((op, args))
        if node is None:
            value = OPERATIONS[op](*map(value_of, args))
            hashes = tuple(
                dict.fromkeys(
                    hashed
                    for each in args
                    if isinstance(each, Node)
                    for hashed in each.hashes
                )
            )
            node = Node(op, args, value, _symbols(args), _bits(op, args), hashes)
            self._nodes[op, args] = node
        return node

    def _simple_one(self, op: str, one: Word) -> Word | None:
        assert isinstance(one, Node)
        if op == "not" and one.op == "not":
            return one.args[0]
        if op == "iszero":
            if one.op == "iszero":
                inner = one.args[0]
                if isinstance(inner, Node) and is_boolean(inner):
                    return inner
            if one.op in ("sub", "xor"):
                return self.make("eq", *one.args)
            return self._equal_to(one)
        return None

    def _simple_two(self, op: str, one: Word, two: Word) -> Word | None:
        if isinstance(two, int):
            assert isinstance(one, Node)
            return self._with_constant(op, one, two)
        if isinstance(one, int):
            return self._of_constant(op, one, two)
        if one is two:
            same: dict[str, Word] = {
                "sub": 0,
                "xor": 0,
                "lt": 0,
                "slt": 0,
                "eq": 1,
                "and": one,
                "or": one,
            }
            return same.get(op)
        match op:
            case "eq" if one.op == two.op == "keccak":
                return self._equal_hashes(one, two)
            case "eq":
                return self._undone_product(one, two)
            case "or":
                return self._checked_product(one, two)
            case "fits" if one.bits + two.bits <= BITS:
                return 1
        return None

    def _undone_product(self, one: Node, two: Node) -> Word | None:
        """Simplify `x * c / c == x`, for a number c that is not zero."""
        for whole, part in ((one, two), (two, one)):
            if whole.op == "div" and isinstance(factor := whole.args[1], int):
                product = self.make("mul", part, factor)
                if whole.args[0] is product:
                    return self.make("fits", part, factor)
        return None

    def _checked_product(self, one: Node, two: Node) -> Word | None:
        """Simplify `x == 0 || x * y / x == y`, which asks whether a product fits."""
        for zero, same in ((one, two), (two, one)):
            if zero.op != "iszero" or same.op != "eq":
                continue
            factor = zero.args[0]
            for quotient, other in (same.args, same.args[::-1]):
                if (
                    isinstance(quotient, Node)
                    and quotient.op == "div"
                    and quotient.args[1] is factor
                    and quotient.args[0] is self.make("mul", factor, other)
                ):
                    return self.make("fits", factor, other)
        return None

    def _of_constant(self, op: str, one: int, two: Node) -> Word | None:
        """Simplify what is computed with a constant as the top of the stack."""
        match op:
            case "shl" | "shr":
                return self._shifted(op, one, two)
            case "sar" if one == 0:
                return two
            case "signextend" if one >= 31 or self._is_extended(two, 8 * (one + 1)):
                return two
            case "byte" if one < 32:
                shifted = self.make("shr", 8 * (31 - one), two)
                return self.make("and", shifted, 0xFF)
            case "byte":
                return 0
            case "lt" if one == 0:
                return self.make("iszero", self.make("iszero", two))
            case "lt" if one == MASK or one >> two.bits:
                return 0
            case "exp" if one < 2:
                return one or self.make("iszero", two)
        return None

    def _shifted(self, op: str, shift: int, word: Node) -> Word | None:
        if shift == 0:
            return word
        if shift >= (word.bits if op == "shr" else BITS):
            return 0
        inner = word.args[0] if len(word.args) == 2 else None
        if word.op == op and isinstance(inner, int):
            return self.make(op, shift + inner, word.args[1])
        if op == "shr" and word.op == "shl" and inner == shift:
            return self.make("and", word.args[1], MASK >> shift)
        if op == "shr" and word.op == "or" and isinstance(word.args[1], int):
            # A selector, before which there are bytes of the first argument.
            known = self.make("shr", shift, word.args[1])
            return self.make("or", self.make("shr", shift, word.args[0]), known)
        return None

    def _with_constant(self, op: str, one: Node, two: int) -> Word | None:
        """Simplify what is computed with a constant as the second operand."""
        match op, two:
            case ("add" | "or" | "xor" | "sub", 0) | ("mul" | "div" | "exp", 1):
                return one
            case ("and" | "mul" | "div" | "mod" | "sdiv" | "smod" | "lt", 0):
                return 0
            case ("mod", 1):
                return 0
            case ("exp", 0):
                return 1
            case ("sub", _):
                return self.make("add", one, -two & MASK)
            case ("and", _) if two & (two + 1) == 0 and one.bits <= two.bit_length():
                return one
            case ("eq", 0):
                return self.make("iszero", one)
            case ("eq", 1) if is_boolean(one):
                return one
            case ("eq", _) if two >> one.bits:
                return 0
            case ("eq", _) if one.op == "keccak":
                return self._equals_hash(one, two)
            case ("fits", _):
                most = MASK // two if two else MASK
                return 1 if most == MASK else self.make("lt", one, most + 1)
            case ("lt", _) if one.bits < two.bit_length():
                return 1
            case ("exp", _):
                return self._known_power(one, two)
        if op in _ASSOCIATIVE and one.op == op and isinstance(one.args[1], int):
            return self.make(op, one.args[0], OPERATIONS[op](one.args[1], two))
        return None

    def _is_extended(self, word: Node, bits: int) -> bool:
        """Whether the sign of so many low bits is in all that stand above them."""
        if word.op == "symbol":
            symbol = self.symbols[number_of(word)]
            if symbol.kind == "signed":
                return symbol.width <= bits
        return word.bits < bits

    def power(self, base: Word, exponent: Word) -> Word | None:
        """Return a power with multiplications; None if it takes too many of them."""
        if isinstance(exponent, int):
            return self.make("exp", base, exponent)
        bits, result = exponent.bits, cast("Word", 1)
        if bits > _POWER_BITS:
            if not isinstance(base, int) or base & 1:
                return None
            # No even number has a power of 256 or more that is not zero.
            result = self.make("iszero", self.make("shr", _POWER_BITS, exponent))
        for bit in range(min(bits, _POWER_BITS)):
            chosen = self.make("and", self.make("shr", bit, exponent), 1)
            more = self.make("mul", chosen, self.make("sub", base, 1))
            result = self.make("mul", result, self.make("add", more, 1))
            base = self.make("mul", base, base)
        return result

    def _known_power(self, base: Word, exponent: int) -> Word:
        """Return a power by squaring and multiplying: exact, with a known exponent."""
        result: Word = 1
        while exponent:
            if exponent & 1:
                result = self.make("mul", result, base)
            exponent >>= 1
            if exponent:
                base = self.make("mul", base, base)
        return result

    def _equal_hashes(self, one: Node, two: Node) -> Word:
        """Return whether what was hashed is equal; of another length it is not."""
        return self._equal_pieces(self._hashed[one], self._hashed[two])

    def _equals_hash(self, one: Node, two: int) -> Word | None:
        """Return whether what was hashed is what a number is the hash of, if known."""
        ours = self._hashed[one]
        if two not in self.preimages:
            data = self._find(two, self._templates[one]())
            if data is None:
                return None
            self.preimages[two] = _cut(data, [size for _, size in ours])
        return self._equal_pieces(ours, self.preimages[two])

    def _equal_pieces(self, one: Pieces, two: Pieces) -> Word:
        """Return whether bytes are equal, and so what their hashes are hashes of.

        Chains of hashes are long, and trees of them meet the same two again and again.
        """
        waiting, seen, result = [(one, two)], set[tuple[Word, Word]](), cast("Word", 1)
        while waiting:
            one, two = waiting.pop()
            if [size for _, size in one] != [size for _, size in two]:
                return 0
            for (left, _), (right, _) in zip(one, two, strict=True):
                if left == right or (left, right) in seen:
                    continue
                seen.add((left, right))
                ours, theirs = self._hashed_in(left), self._hashed_in(right)
                if ours and theirs:
                    waiting.append((ours, theirs))
                else:
                    result = self.make("and", result, self.make("eq", left, right))
        return result

    def _hashed_in(self, word: Word) -> Pieces | None:
        """Return what a word is the hash of, if it is one of this run."""
        if isinstance(word, int):
            return self.preimages.get(word)
        return self._hashed.get(word)


def _cut(data: bytes, sizes: list[int]) -> Pieces:
    ends = [sum(sizes[: count + 1]) for count in range(len(sizes))]
    return tuple(
        (int.from_bytes(data[end - size : end], "big"), size)
        for end, size in zip(ends, sizes, strict=True)
    )


def number_of(symbol: Node) -> int:
    """Return which of the symbols of its graph one is."""
    number = symbol.args[0]
    assert isinstance(number, int)
    return number


def is_boolean(word: Node) -> bool:
    """Whether a word is 0 or 1 in every run."""
    return word.bits == 1


def _symbols(args: tuple[Word, ...]) -> int:
    found = 0
    for each in args:
        if isinstance(each, Node):
            found |= each.symbols
    return found


def _bits(op: str, args: tuple[Word, ...]) -> int:
    """Return how many bits a result has at most."""
    if op in BOOLEANS:
        return 1
    sizes = [e.bit_length() if isinstance(e, int) else e.bits for e in args]
    match op:
        case "and" | "mod":
            return min(sizes)
        case "or" | "xor":
            return max(sizes)
        case "add":
            return min(BITS, max(sizes) + 1)
        case "mul":
            return min(BITS, sum(sizes))
        case "div":
            return sizes[0]
        case "shr":
            return max(1, sizes[1] - args[0]) if isinstance(args[0], int) else sizes[1]
        case "shl" if isinstance(args[0], int):
            return min(BITS, sizes[1] + args[0])
    return BITS
