from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp_plugins.compilers.solidity.remappings import (
    Remapping,
    parse_remapping,
    resolve_import,
)
from echidna_mcp_plugins.compilers.solidity.source_text import imports_of, pragmas_of
from echidna_mcp_plugins.compilers.solidity.version_range import (
    parse_version,
    satisfies,
)


def test_every_form_of_import_is_found():
    source = """
        import "./a.sol";
        import './b.sol' as B;
        import * as C from "c.sol";
        import {D, E as F}
            from "@d/d.sol";
    """
    assert [(i.path, i.line) for i in imports_of(source)] == [
        ("./a.sol", 2),
        ("./b.sol", 3),
        ("c.sol", 4),
        ("@d/d.sol", 5),
    ]


def test_comments_strings_and_names_are_no_imports():
    source = """
        // import "a.sol";
        /* import "b.sol";
        */
        contract C { string s = "import \\"c.sol\\";"; string t = 'import "d.sol"';
          uint imported; string important = "e.sol"; }
        string constant U = "//"; import "real.sol";
    """
    assert [i.path for i in imports_of(source)] == ["real.sol"]


def test_pragmas_are_found_outside_of_comments():
    source = """pragma solidity >=0.7.0
        <0.9.0; // pragma solidity ^0.5.0;
        pragma abicoder v2;"""
    assert list(pragmas_of(source)) == [">=0.7.0 <0.9.0"]


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("^0.8.4", ["0.8.4", "0.8.30"], ["0.8.3", "0.9.0", "1.8.4"]),
        ("0.8.4", ["0.8.4"], ["0.8.3", "0.8.5"]),
        ("=0.8.4", ["0.8.4"], ["0.8.5"]),
        (">=0.7.0 <0.9.0", ["0.7.0", "0.8.99"], ["0.6.12", "0.9.0"]),
        (">=0.7.0<0.9.0", ["0.7.0", "0.8.99"], ["0.6.12", "0.9.0"]),
        ("^0.7.0 || ^0.8.0", ["0.7.6", "0.8.1"], ["0.6.12", "0.9.0"]),
        ("~0.8.4", ["0.8.4", "0.8.9"], ["0.8.3", "0.9.0"]),
        ("0.8.x", ["0.8.0", "0.8.30"], ["0.7.6", "0.9.0"]),
        ("0.8", ["0.8.0", "0.8.30"], ["0.7.6", "0.9.0"]),
        ("*", ["0.4.11", "0.8.30"], []),
        (">0.8.4", ["0.8.5", "1.0.0"], ["0.8.4"]),
        ("<=0.8", ["0.8.9", "0.1.0"], ["0.9.0"]),
        ("0.7.1 - 0.8.2", ["0.7.1", "0.8.2"], ["0.7.0", "0.8.3"]),
        ("^0.0.3", ["0.0.3"], ["0.0.4"]),
        ("^1.2.3", ["1.9.0"], ["2.0.0", "1.2.2"]),
    ],
)
def test_ranges_mean_what_npm_says(text: str, inside: list[str], outside: list[str]):
    for version in inside:
        assert satisfies(parse_version(version) or (0, 0, 0), text), version
    for version in outside:
        assert not satisfies(parse_version(version) or (0, 0, 0), text), version


@given(st.tuples(*[st.integers(0, 99)] * 3))
def test_a_version_satisfies_itself(version: tuple[int, int, int]):
    text = ".".join(map(str, version))
    assert parse_version(f"v{text}+commit.abc") == version
    for operator in ("", "=", "^", "~", ">=", "<="):
        assert satisfies(version, operator + text)
    for operator in ("<", ">"):
        assert not satisfies(version, operator + text)


@pytest.mark.parametrize(
    ("path", "importer", "unit"),
    [
        ("./b.sol", "a.sol", "b.sol"),
        ("../b.sol", "src/a.sol", "b.sol"),
        ("../../b.sol", "src/a.sol", "../b.sol"),
        ("b.sol", "src/a.sol", "b.sol"),
        ("@oz/x.sol", "src/a.sol", "lib/oz/contracts/x.sol"),
        ("@oz/up/x.sol", "src/a.sol", "lib/up/x.sol"),
        ("@oz/x.sol", "lib/old/a.sol", "lib/oz-old/x.sol"),
    ],
)
def test_imports_resolve_as_solc_does(path: str, importer: str, unit: str):
    lines = ["@oz/=lib/oz/contracts/", "@oz/up/=lib/up/", "lib/old/:@oz/=lib/oz-old/"]
    remappings = [r for line in lines if (r := parse_remapping(line))]
    assert [str(r) for r in remappings] == lines
    assert resolve_import(path, importer, remappings) == unit


def test_lines_that_are_no_remappings():
    assert parse_remapping("") is None
    assert parse_remapping("# a=b") is None
    assert parse_remapping("nonsense") is None
    assert parse_remapping("a=b") == Remapping("", "a", "b")
