"""The callable functions of a target as the flat tables of `fuzz.layout`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_UINT,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    compile_types,
    is_of_fixed_size,
)
from echidna_mcp.errors import TargetError
from echidna_mcp.fuzz.created import MOST_CREATED, TEMPLATE_WORDS, Created
from echidna_mcp.fuzz.harvest import (
    MOST_HARVESTED,
    MOST_LOOKED_AT,
    TYPE_SHIFT,
    UNTYPED,
    Pool,
)
from echidna_mcp.fuzz.layout import FLAG_CREATED, FLAG_EMPTY, FLAG_PAYABLE, FLAG_RAW
from echidna_mcp.fuzz.tables import call_fits
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.program.callees import Callee
from echidna_mcp.program.dictionary.constants import written_words
from echidna_mcp.program.dictionary.function_constants import constants_of_functions
from echidna_mcp.program.dictionary.texts import literal_texts
from echidna_mcp.program.fixtures import fixture_texts, fixture_words
from echidna_mcp.program.linking import ADDRESS_BYTES
from echidna_mcp.program.model import Contract
from echidna_mcp.program.sourcemap import metadata_start
from echidna_mcp.program.target import FuzzTarget


@dataclass(frozen=True, slots=True)
class Interface:
    """What compiled code sees of a target.

    Attributes:
        types, functions: type program and function table.
        templates: codes of the contracts that sequences create and call; the kind of
            each is the number of the callee.
        fixtures: values for parameters of one word, by their nodes in `types`.
        texts: tapes for parameters of `bytes` and `string`, in the same way.
        literals: tapes of the texts that stand in the source, if they are wanted.
        constants: those of each function, if they are wanted.
    """

    types: Words
    functions: Words
    templates: tuple[Template, ...] = ()
    fixtures: Mapping[int, Sequence[int]] = field(default_factory=dict)
    texts: Mapping[int, Sequence[bytes]] = field(default_factory=dict)
    literals: tuple[bytes, ...] = ()
    constants: tuple[tuple[int, ...], ...] = ()


def interface_of(target: FuzzTarget) -> Interface:
    """Return the tables of a target.

    Raises:
        TargetError: a function takes more than a call record can hold.
    """
    types, nodes = compile_types([f.inputs for f in target.functions])
    table: list[int] = []
    for function, node, number in zip(
        target.functions, nodes, target.callee_of, strict=True
    ):
        if not call_fits(types, node):
            raise TargetError(
                f"The parameters of {function.signature} are too large to be fuzzed; "
                "leave the function out with filterFunctions."
            )
        flags = _flags(function, target.callees[number])
        table += [node, flags, int.from_bytes(function.selector, "big")]
    templates = tuple(
        _template(number, callee.contract)
        for number, callee in enumerate(target.callees)
        if callee.address is None
    )
    fixed, texts = _fixtures(target, types, nodes)
    found = literal_texts(target.program) if target.config.literals else ()
    tapes = tuple(map(_tape, found))
    own = tuple(_constants(target)) if target.config.function_constants else ()
    return Interface(types, words(table), templates, fixed, texts, tapes, own)


def _constants(target: FuzzTarget) -> Iterator[tuple[int, ...]]:
    """Yield the constants of each callable function."""
    written = written_words(target.program)
    for callee in target.callees:
        selectors = (
            int.from_bytes(f.selector, "big") if f.kind == "function" else None
            for f in callee.functions
        )
        code = callee.contract.runtime_code
        yield from constants_of_functions(code, tuple(selectors), written)


def _fixtures(
    target: FuzzTarget, types: Words, nodes: Sequence[int]
) -> tuple[dict[int, Sequence[int]], dict[int, Sequence[bytes]]]:
    """Return the words and the tapes of fixtures by the nodes of their parameters."""
    fixed: dict[int, Sequence[int]] = {}
    texts: dict[int, Sequence[bytes]] = {}
    for function, node in zip(target.functions, nodes, strict=True):
        child = node + NODE_WORDS
        members = zip(function.inputs.members, function.inputs.names, strict=True)
        for member, name in members:
            if values := fixture_words(member, name, target.world.fixtures):
                fixed[child] = values
            if tapes := fixture_texts(member, name, target.world.fixtures):
                texts[child] = tapes
            child = types[child + NODE_NEXT]
    return fixed, texts


def _tape(text: bytes) -> bytes:
    return len(text).to_bytes(32, "big") + text + bytes(-len(text) % 32)


def _template(kind: int, contract: Contract) -> Template:
    code = contract.runtime_code
    end = metadata_start(code)
    filled = (
        (start, ADDRESS_BYTES) for link in contract.links for start in link.runtime
    )
    free = (
        *contract.immutables,
        *filled,
        (end, len(code) - end + contract.appended_immutables),
    )
    return Template(kind, code + bytes(contract.appended_immutables), free)


def _flags(function: AbiFunction, callee: Callee) -> int:
    flags = FLAG_PAYABLE if function.payable else 0
    if callee.address is None:
        flags |= FLAG_CREATED
    if function.kind == "fallback":
        flags |= FLAG_RAW
    if function.kind == "receive":
        flags |= FLAG_EMPTY
    return flags


def known_addresses(target: FuzzTarget) -> list[int]:
    """Return the addresses worth passing as arguments, in a fixed order."""
    config = target.config
    accounts = (*target.senders, config.deployer, config.contract_addr, 0)
    called = (each.address for each in target.callees if each.address is not None)
    return list(dict.fromkeys((*accounts, *called)))


@dataclass(frozen=True, slots=True)
class Template:
    """The runtime code of a kind of contract.

    Attributes:
        kind: number of the kind; several templates may have the same.
        code: as it is deployed.
        free: (start, length) of what may be any bytes.
    """

    kind: int
    code: bytes
    free: tuple[tuple[int, int], ...]


def make_created(templates: Iterable[Template]) -> Created:
    """Return the record of a sequence that has created nothing yet."""
    rows: list[int] = []
    bodies, masks = bytearray(), bytearray()
    for each in templates:
        rows += [each.kind, len(bodies), len(each.code)]
        mask = bytearray(b"\xff" * len(each.code))
        for start, length in each.free:
            mask[start : start + length] = bytes(len(mask[start : start + length]))
        bodies += each.code
        masks += mask
    return Created(
        templates=words(rows),
        template_count=len(rows) // TEMPLATE_WORDS,
        bodies=bodies,
        masks=masks,
        kinds=words([0] * MOST_CREATED),
        addresses=bytearray(32 * MOST_CREATED),
        count=0,
    )


def make_pool(
    *,
    harvests: bool,
    pairs: bool = False,
    returned: Sequence[Tuple] | None = None,
) -> Pool:
    """Return the pool of a sequence that has not begun yet.

    Args:
        harvests: whether it ever has words.
        pairs: whether two of them are combined, at times.
        returned: what each function returns; None if types do not matter.
    """
    most = MOST_HARVESTED if harvests else 0
    shown = [UNTYPED] * MOST_LOOKED_AT
    for each in returned or ():
        heads = list(islice(_head_types(each), MOST_LOOKED_AT))
        shown += heads + [UNTYPED] * (MOST_LOOKED_AT - len(heads))
    return Pool(
        words=bytearray(32 * most),
        types=words([UNTYPED] * most),
        shown=words(shown),
        typed=int(returned is not None),
        count=0,
        most=most,
        pairs=int(pairs),
    )


def _head_types(returned: Tuple) -> Iterator[int]:
    """Yield the types of the words that the encoding of a tuple begins with.

    What is of variable length has an offset there, and is itself behind them.
    """
    for member in returned.members:
        if is_of_fixed_size(member):
            yield from _word_types(member)
        else:
            yield UNTYPED


def _word_types(static: AbiType) -> Iterator[int]:
    """Yield the types of the words of a type of fixed size."""
    match static:
        case Elementary(kind=kind, size=size):
            if kind in (KIND_UINT, KIND_INT, KIND_ADDRESS):
                size //= 8
            elif kind != KIND_BYTES_FIXED:
                kind = size = 0
            yield kind << TYPE_SHIFT | size
        case Array(element=element, length=length):
            # What returns millions of them is looked at no further than at the first.
            for _ in range(min(length or 0, MOST_LOOKED_AT)):
                yield from _word_types(element)
        case Tuple(members=members):
            for member in members:
                yield from _word_types(member)
