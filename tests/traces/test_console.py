"""What the console prints, where forge can't be asked: tests/foundry asks it else."""

from __future__ import annotations

import pytest

from echidna_mcp.abi.encoding import encode_arguments
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.types import parse_tuple
from echidna_mcp.traces.console import console_functions, console_text


def printed(signature: str, *values: object) -> str | None:
    types = signature[signature.index("(") :].replace("uint)", "uint256)")
    types = types.replace("uint,", "uint256,")
    data = encode_arguments(parse_tuple(types), values)
    return console_text(selector_of(signature) + data)


def test_all_permutations_of_up_to_four_arguments_are_known():
    known = console_functions()
    mixed = [each for each in known.values() if len(each.members) == 4]
    # All but 81, which have no number, have an older selector as well.
    assert len(mixed) == 256 + (256 - 81)
    selectors = {"f82c50f1", "f5b1bba9", "41304fac", "2d5b6cb9", "4e0c1d1d", "9905b744"}
    assert selectors <= {selector.hex() for selector in known}


@pytest.mark.parametrize(
    ("signature", "values", "text"),
    [
        ("log(uint)", (7,), "7"),
        ("log(string,uint)", (b"old %d", 7), "old 7"),
        ("log(uint,uint,string)", (1, 2, b"%d"), "1 2 %d"),
        ("log(int256)", (-7,), "-7"),
        ("logBytes3(bytes3)", (b"abc",), "0x616263"),
        ("logBool(bool)", (True,), "true"),
        ("log(string)", (b"100%% and %s",), "100%% and %s"),
        ("log(string,string)", (b"%s%%", b"100"), "100%"),
        ("log(string,string)", (b"two\nlines", b"here"), "two\nlines here"),
        ("log(string,string)", (b"%s", b"\xff"), "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_older_and_named_functions_are_printed(signature, values, text):
    assert printed(signature, *values) == text


def test_what_is_no_call_of_the_console_prints_nothing():
    assert console_text(b"") is None
    assert console_text(selector_of("log(uint256[])") + bytes(64)) is None
    assert console_text(selector_of("log(string)") + bytes(31)) is None
