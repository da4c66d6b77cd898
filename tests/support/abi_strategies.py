"""Hypothesis strategies for ABI types, their values, and functions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from echidna_mcp.abi.function import AbiFunction, selector_of, signature_of
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, parse_parameter
from echidna_mcp.abi.values import Value

_MAX_LENGTH = 3

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
"""Names of functions, parameters and fields."""


def elementary_types() -> st.SearchStrategy[AbiType]:
    """Every elementary type of the ABI, each family equally likely."""
    bits = st.integers(1, 32).map(lambda n: 8 * n)
    spelled = st.one_of(
        bits.map(lambda n: f"uint{n}"),
        bits.map(lambda n: f"int{n}"),
        st.integers(1, 32).map(lambda n: f"bytes{n}"),
        st.sampled_from(["address", "bool", "bytes", "string", "function"]),
    )
    return spelled.map(lambda name: parse_parameter({"type": name}))


@st.composite
def tuples(
    draw: st.DrawFn, members: st.SearchStrategy[AbiType], *, at_least: int = 0
) -> Tuple:
    """A struct or parameter list of such members, with distinct names."""
    types = draw(st.lists(members, min_size=at_least, max_size=_MAX_LENGTH))
    labels = draw(
        st.lists(names, min_size=len(types), max_size=len(types), unique=True)
    )
    return Tuple(tuple(types), tuple(labels))


def abi_types(*, max_leaves: int = 6) -> st.SearchStrategy[AbiType]:
    """Any ABI type, nested arrays and structs included."""
    return st.recursive(
        elementary_types(),
        lambda inner: st.one_of(
            st.builds(Array, inner, st.none() | st.integers(1, _MAX_LENGTH)),
            tuples(inner, at_least=1),
        ),
        max_leaves=max_leaves,
    )


def parameters() -> st.SearchStrategy[Tuple]:
    """The parameters of a function, none included."""
    return tuples(abi_types())


def values(abi_type: AbiType) -> st.SearchStrategy[Value]:
    """Any value of a type, bounds and bytes that are not UTF-8 included."""
    match abi_type:
        case Elementary():
            return _leaf(abi_type)
        case Array(element=element, length=length):
            low, high = (0, _MAX_LENGTH) if length is None else (length, length)
            return st.lists(values(element), min_size=low, max_size=high).map(tuple)
        case Tuple(members=members):
            return st.tuples(*map(values, members))


def _leaf(leaf: Elementary) -> st.SearchStrategy[Any]:
    match leaf.kind:
        case k if k == KIND_BOOL:
            return st.booleans()
        case k if k in (KIND_UINT, KIND_ADDRESS):
            top = (1 << leaf.size) - 1
            return st.integers(0, top) | st.sampled_from([0, 1, top])
        case k if k == KIND_INT:
            top = (1 << (leaf.size - 1)) - 1
            return st.integers(-top - 1, top) | st.sampled_from([-top - 1, -1, top])
        case k if k == KIND_BYTES:
            return st.binary(max_size=70)
        case k if k == KIND_STRING:
            return st.binary(max_size=40) | st.text(max_size=20).map(str.encode)
        case _:
            return st.binary(min_size=leaf.size, max_size=leaf.size)


def make_function(name: str, inputs: Tuple) -> AbiFunction:
    """Return a function as the ABI would list it."""
    signature = signature_of(name, inputs)
    return AbiFunction(
        name=name,
        inputs=inputs,
        outputs=Tuple((), ()),
        mutability="nonpayable",
        selector=selector_of(signature),
        signature=signature,
    )


def functions() -> st.SearchStrategy[AbiFunction]:
    """Any function."""
    return st.builds(make_function, names, parameters())


@st.composite
def calls(draw: st.DrawFn) -> tuple[AbiFunction, tuple[Value, ...]]:
    """A function and arguments for it."""
    function = draw(functions())
    arguments = draw(values(function.inputs))
    assert isinstance(arguments, tuple)
    return function, arguments
