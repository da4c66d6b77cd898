from __future__ import annotations

import json
from typing import Any

import pytest
from abi_strategies import calls, functions
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.call_text import HOLE, parse_call
from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.render import render_call
from echidna_mcp.abi.syntax import MAX_DEPTH, MAX_LENGTH
from echidna_mcp.abi.values import Value
from echidna_mcp.errors import CallSyntaxError

DETAILS = {"argument", "argumentName", "call", "closest", "expectedType", "position"}


def entry(name: str, *types: str) -> dict[str, Any]:
    """An ABI function with parameters called a, b, c, …"""
    inputs = [{"name": chr(97 + i), "type": t} for i, t in enumerate(types)]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": []}


POINT = {
    "type": "tuple",
    "components": [{"name": "x", "type": "uint8"}, {"name": "y", "type": "int8"}],
}
TOKEN = functions_of(
    [
        {
            "name": "transfer",
            "inputs": [
                {"name": "to", "type": "address"},
                {"name": "amount", "type": "uint256"},
            ],
        },
        entry("deposit"),
        entry("flag", "bool"),
        entry("small", "uint8"),
        entry("signed", "int8"),
        entry("text", "string"),
        entry("data", "bytes"),
        entry("four", "bytes4"),
        entry("word", "bytes32"),
        entry("list", "uint256[]"),
        entry("pair", "uint8[2]"),
        entry("callback", "function"),
        {"name": "point", "inputs": [{"name": "p", **POINT}]},
        {"name": "points", "inputs": [{"name": "ps", **POINT, "type": "tuple[]"}]},
        entry("over", "uint256"),
        entry("over", "address"),
        entry("over", "string"),
        entry("over", "bytes"),
        entry("over", "uint256", "uint256"),
        entry("owner", "uint256"),
        entry("owner", "address"),
        entry("sized", "uint8"),
        entry("sized", "uint16"),
    ]
)


def arguments(text: str) -> tuple[Any, ...]:
    return parse_call(text, TOKEN).arguments


def failure(text: str) -> CallSyntaxError:
    with pytest.raises(CallSyntaxError) as caught:
        parse_call(text, TOKEN)
    assert set(caught.value.details) == DETAILS
    return caught.value


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("0", 0),
        ("100", 100),
        ("1_000", 1000),
        ("0xff", 255),
        ("0xFF_ff", 65535),
        ("1e18", 10**18),
        ("1.5e3", 1500),
        ("25e-1 gwei", 2_500_000_000),
        ("1 ether", 10**18),
        ("0.5 ether", 5 * 10**17),
        (".5 ether", 5 * 10**17),
        ("2 gwei", 2 * 10**9),
        ("3 wei", 3),
        ("4 seconds", 4),
        ("2 minutes", 120),
        ("2 hours", 7200),
        ("1 days", 86400),
        ("2 weeks", 1_209_600),
        ("type(uint256).max", 2**256 - 1),
        ("type(int8).max", 127),
        ("type(uint8).min", 0),
        ("uint256(7)", 7),
        ("uint(7)", 7),
        ("(7)", 7),
    ],
)
def test_numbers_are_read_as_solidity_reads_them(literal: str, value: int) -> None:
    assert arguments(f"transfer(0x01, {literal})") == (1, value)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("signed(-5)", -5),
        ("signed(- 5)", -5),
        ("signed(-0x80)", -128),
        ("signed(type(int8).min)", -128),
        ("flag(true)", True),
        ("flag(false)", False),
        ("flag(bool(true))", True),
        ('text("")', b""),
        ('text("a, (b)?")', b"a, (b)?"),
        ("text('single \"')", b'single "'),
        (r'text("\n\t\r\\\"\x00\xff\u00e9")', b'\n\t\r\\"\x00\xff\xc3\xa9'),
        ('text("é")', "é".encode()),
        ('text(unicode"✓")', "✓".encode()),
        ('text(hex"ff00")', b"\xff\x00"),
        ('data(hex"")', b""),
        ('data(hex"01_02")', b"\1\2"),
        ("data(0x)", b""),
        ("data(0x0102)", b"\1\2"),
        ('data("ab")', b"ab"),
        ('data(bytes("ab"))', b"ab"),
        ("four(0x01020304)", b"\1\2\3\4"),
        ("four(bytes4(0x01020304))", b"\1\2\3\4"),
        ('four("ab")', b"ab\0\0"),
        ("four(bytes4(0))", bytes(4)),
        ("word(bytes32(uint256(1)))", bytes(31) + b"\1"),
        ("callback(0x" + "ab" * 24 + ")", b"\xab" * 24),
        ("list([])", ()),
        ("list([1, 2 ether, 0x3])", (1, 2 * 10**18, 3)),
        ("pair([1,2])", (1, 2)),
        ("point((1, -2))", (1, -2)),
        ("point([1, -2])", (1, -2)),
        ("point({y: -2, x: 1})", (1, -2)),
        ("point({p: {y: -2, x: 1}})", (1, -2)),
        ("point(Point(1, -2))", (1, -2)),
        ("point(Lib.Point({x: 1, y: -2}))", (1, -2)),
        ("points([(1, 2), {x: 3, y: 4}])", ((1, 2), (3, 4))),
    ],
)
def test_literals_of_every_type_are_read(call: str, value: Value) -> None:
    (read,) = arguments(call)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "spelled",
    [
        "0x0000000000000000000000000000000000010000",
        "0x10000",
        "address(0x10000)",
        "address(65536)",
        "payable(address(0x10000))",
        "IERC20(0x10000)",
    ],
)
def test_addresses_may_be_short_or_cast(spelled: str) -> None:
    assert arguments(f"transfer({spelled}, 1)") == (0x10000, 1)


def test_addresses_may_have_any_case() -> None:
    mixed = "0xAbCdEf" + "0" * 34
    assert arguments(f"transfer({mixed}, 1)")[0] == int(mixed, 16)


def test_whitespace_does_not_matter() -> None:
    assert arguments("  transfer ( 0x1 ,\n 2 ) ") == (1, 2)
    assert arguments("transfer(0x1,2)") == (1, 2)


def test_named_arguments_come_in_any_order() -> None:
    assert arguments("transfer({amount: 2, to: 0x1})") == (1, 2)
    assert arguments("transfer({amount: ?, to: 0x1})") == (1, HOLE)


def test_a_question_mark_is_a_hole() -> None:
    assert arguments("transfer(?, ?)") == (HOLE, HOLE)
    assert parse_call("sized(uint8(?))", TOKEN).function.signature == "sized(uint8)"


@pytest.mark.parametrize(
    ("call", "signature"),
    [
        ("over(5)", "over(uint256)"),
        ("over(0x10000)", "over(uint256)"),  # an odd number of digits is no bytes
        (f"over(0x{'11' * 20}, 1)", "over(uint256,uint256)"),
        (f"owner(0x{'11' * 20})", "owner(address)"),
        ("owner(1000)", "owner(uint256)"),
        ("over(address(0x10000))", "over(address)"),
        ('over("x")', "over(string)"),
        ('over(hex"00ff")', "over(bytes)"),
        ("over(0x)", "over(bytes)"),
        ("over(1, 2)", "over(uint256,uint256)"),
        ("sized(256)", "sized(uint16)"),
        ("sized(uint8(5))", "sized(uint8)"),
    ],
)
def test_overloads_are_resolved_by_arity_and_type(call: str, signature: str) -> None:
    assert parse_call(call, TOKEN).function.signature == signature


@pytest.mark.parametrize(
    "call", ["sized(5)", "sized(?)", f"over(0x{'11' * 20})", "over(0x1234)"]
)
def test_an_ambiguous_call_names_the_candidates(call: str) -> None:
    error = failure(call)
    assert len(error.details["closest"]) > 1
    for candidate in error.details["closest"]:
        assert candidate in error.message
    assert "uint8(5)" in error.message


@pytest.mark.parametrize(
    ("call", "position", "argument", "name", "expected"),
    [
        ("transfer(0xZZZ, -100)", 9, 1, "to", "address"),
        ("transfer(0xabcd..., 5)", 9, 1, "to", "address"),
        ("transfer(0x123…, 5)", 9, 1, "to", "address"),
        ("transfer(msg.sender, 5)", 9, 1, "to", "address"),
        ("transfer(5, 5)", 9, 1, "to", "address"),
        (f"transfer(0x{'1' * 41}, 5)", 9, 1, "to", "address"),
        ("transfer(0x1, -100)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 1e78)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 1e999999999)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, " + "9" * 5000 + ")", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 0.5)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 1ether)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 1__0)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, 2**3)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, true)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, @)", 14, 2, "amount", "uint256"),
        ("transfer(0x1, )", 14, 2, "amount", "uint256"),
        ('transfer(0x1, "abc)', 14, 2, "amount", "uint256"),
        ("transfer(0x1 5)", 13, 2, "amount", "uint256"),
        ("small(256)", 6, 1, "a", "uint8"),
        ("small(type(uint16).max)", 6, 1, "a", "uint8"),
        ("small(type(string).max)", 6, 1, "a", "uint8"),
        ("small(uint16(5))", 6, 1, "a", "uint8"),
        ("small([1])", 6, 1, "a", "uint8"),
        ("signed(-129)", 7, 1, "a", "int8"),
        ("flag(1)", 5, 1, "a", "bool"),
        ("text(abc)", 5, 1, "a", "string"),
        (r'text("\q")', 6, 1, "a", "string"),
        (r'text("\ud800")', 6, 1, "a", "string"),
        ('text("\ud800")', 6, 1, "a", "string"),
        ("data(0x123)", 5, 1, "a", "bytes"),
        ('data(hex"1")', 5, 1, "a", "bytes"),
        ("four(0x0102)", 5, 1, "a", "bytes4"),
        ('four("abcde")', 5, 1, "a", "bytes4"),
        ("four(bytes4(2**40))", 12, 1, "a", "bytes4"),
        ("four(bytes4(4294967296))", 12, 1, "a", "bytes4"),
        ("callback(0x00)", 9, 1, "a", "function"),
        ("list((1, 2))", 5, 1, "a", "uint256[]"),
        ("list([1, ?])", 9, 1, "a", "uint256"),
        ("list([1, true])", 9, 1, "a", "uint256"),
        ("pair([1])", 5, 1, "a", "uint8[2]"),
        ("point((1, 2, 3))", 6, 1, "p", "(uint8,int8)"),
        ("point({x: 1, z: 2})", 6, 1, "p", "(uint8,int8)"),
        ("point({x: 1})", 6, 1, "p", "(uint8,int8)"),
        ("point({x: 1, x: 1})", 13, 1, "p", "(uint8,int8)"),
        ("point((1, 300))", 10, 1, "p", "int8"),
        ("deposit", 7, None, None, None),
        ("deposit(", 8, 1, None, None),
        ("deposit(1)", 0, None, None, None),
        ("deposit();", 9, None, None, None),
        ("transfer(0x1)", 0, None, None, None),
        ("transfer({to: 0x1, sum: 2})", 9, None, None, "(address,uint256)"),
        ("nothing(1)", 0, None, None, None),
        ("", 0, None, None, None),
        ("   ", 3, None, None, None),
        ("(1)", 0, None, None, None),
    ],
)
def test_errors_name_position_argument_and_type(
    call: str,
    position: int,
    argument: int | None,
    name: str | None,
    expected: str | None,
) -> None:
    error = failure(call)
    details = error.details
    assert details["position"] == position
    assert details["argument"] == argument
    assert details["argumentName"] == name
    if name is not None:
        assert details["expectedType"] == expected
        assert f"Argument {argument} `{name}` of " in error.message
    assert error.message.endswith(".")
    assert "\n" not in error.message
    json.dumps(details, ensure_ascii=False).encode()


def test_the_message_says_what_to_write() -> None:
    assert failure("transfer(0xZZZ, -100)").message == (
        "Argument 1 `to` of transfer(address,uint256): `0xZZZ` at position 9 is not an "
        "address; write 0x and 40 hex digits."
    )
    assert failure("small(256)").message == (
        "Argument 1 `a` of small(uint8): `256` at position 6 is out of range for "
        "uint8; write a number from 0 to 2^8-1."
    )
    assert failure("transfer(0x1, 5").message == (
        "Argument 2 `amount` of transfer(address,uint256): the text ends at position "
        "15 where `,` or `)` is expected."
    )
    assert failure("transfer(0x1)").message == (
        "transfer(address,uint256) takes 2 arguments, but the call has 1."
    )


def test_an_unknown_function_gets_the_closest_names() -> None:
    error = failure("transferr(0x1, 2)")
    assert error.details["closest"] == ["transfer(address,uint256)"]
    assert "did you mean transfer(address,uint256)?" in error.message
    assert failure("Transfer(0x1, 2)").details["closest"][0].startswith("transfer(")
    error = failure("zzzzzz()")
    assert error.details["closest"] == []
    known = [each.signature for each in TOKEN][:10]
    assert error.message == (
        f"There is no function `zzzzzz`; there are: {', '.join(known)}, …."
    )


def test_arguments_that_fit_no_overload_report_the_nearest() -> None:
    error = failure("over(1, true)")
    assert error.details["argument"] == 2
    error = failure("over(true)")
    assert error.details["argument"] == 1
    assert len(error.details["closest"]) == 4


@pytest.mark.parametrize("opening", ["[", "(", "{a:", "f(", "-", "uint8(", "type("])
def test_enormous_nesting_is_an_error(opening: str) -> None:
    assert "nest" in failure("list(" + "[" * (MAX_DEPTH + 1)).message
    failure("list(" + opening * 10_000)


def test_nesting_up_to_the_bound_is_read() -> None:
    levels = MAX_DEPTH - 1
    (deep,) = functions_of([entry("f", "uint8" + "[]" * levels)])
    call = parse_call("f(" + "[" * levels + "]" * levels + ")", [deep])
    value = call.arguments[0]
    for _ in range(levels - 1):
        (value,) = value
    assert value == ()


def test_enormous_text_is_an_error() -> None:
    error = failure('text("' + "a" * MAX_LENGTH + '")')
    assert len(error.details["call"]) < 2_000
    failure("a" * MAX_LENGTH + "(")
    failure("transfer(0x" + "1" * (MAX_LENGTH - 20) + ", 1)")


def never_anything_else(text: str, table: Any) -> None:
    try:
        parse_call(text, table)
    except CallSyntaxError as error:
        assert set(error.details) == DETAILS  # noqa: PT017 - most texts are no error
        json.dumps([error.message, dict(error.details)], ensure_ascii=False).encode()


PIECES = [
    *"()[]{},:?-._ \"'\\\n",
    *("hex", "unicode", "type", "uint256", ".max", "0x", "1e", "1 ether", "true"),
    *(f.name for f in TOKEN),
    *("x", "y", "to", "amount", "\\x4", "\\u12", "\ud800", "…", "9" * 99),
]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25))
def test_junk_is_a_syntax_error_and_nothing_else(pieces: list[str]) -> None:
    never_anything_else("".join(pieces), TOKEN)


@settings(max_examples=400)
@given(calls(), st.data())
def test_damaged_calls_are_a_syntax_error_and_nothing_else(
    call: Any, data: st.DataObject
) -> None:
    function, values = call
    text = render_call(function, encode_call(function, values))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 4))
        piece = data.draw(st.sampled_from(PIECES) | st.just(""))
        text = text[:at] + piece + text[at + cut :]
    never_anything_else(text, [function, *TOKEN])


@given(calls(), functions())
def test_another_overload_never_changes_the_meaning_silently(
    call: Any, other: Any
) -> None:
    function, values = call
    text = render_call(function, encode_call(function, values))
    table = [function]
    if other.inputs != function.inputs:
        renamed = {"name": function.name, "signature": function.name + "(…)"}
        table.append(
            type(other)(
                **{
                    field: renamed.get(field, getattr(other, field))
                    for field in type(other).__slots__
                }
            )
        )
    try:
        parsed = parse_call(text, table)
    except CallSyntaxError as error:
        assert "fits" in error.message  # noqa: PT017 - either is right
    else:
        assert (parsed.function, parsed.arguments) == (function, values)
