from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from solc import require_openzeppelin
from stored_builds import standard_output

from echidna_mcp.program.dictionary.texts import (
    LONGEST_TEXT,
    MOST_TEXTS,
    literal_texts,
    texts_in,
)
from echidna_mcp.program.model import Contract, Program, SourceFile


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ('f("mint");', [b"mint"]),
        ("f('it is \"it\"');", [b'it is "it"']),
        (r'f("a\"b\\c\n\x41\u00e9");', [b'a"b\\c\nA\xc3\xa9']),
        ('f("a\\\nb");', [b"ab"]),
        ('f(hex"c0ff_ee");', [b"\xc0\xff\xee"]),
        ("f(unicode'é');", ["é".encode()]),
        ('f(x"beef", b"raw");', [b"\xbe\xef", b"raw"]),
        ('f(hex"abc");', []),
        ('f("");', []),
        ('// it\'s "not"\nf("a"); /* "b" \' */ g("c");', [b"a", b"c"]),
        ('f("http://host/*"); g("c");', [b"http://host/*", b"c"]),
        ('x = "a"  # "not"\n"""doc "b" """\ny = "c"', [b"a", b"c"]),
        ('import {A} from "./A.sol"; import "B"; f("c");', [b"c"]),
        ('import * as D\n    from "./D.sol";', []),
        ('pragma experimental "v0.5.0";', []),
        (f'f("{"x" * (LONGEST_TEXT + 1)}", "{"y" * LONGEST_TEXT}");', [b"y" * 256]),
        ('f("never ends', []),
    ],
)
def test_texts_are_what_compilers_read(source: str, texts: list[bytes]):
    assert list(texts_in(source)) == texts


def told(node: Any) -> Iterator[bytes]:
    """Yield the texts of a syntax tree of solc, of assembly as well."""
    if isinstance(node, list):
        for each in node:
            yield from told(each)
    elif isinstance(node, dict):
        kind = node.get("kind", "")
        literal = node.get("nodeType") in ("Literal", "YulLiteral")
        if literal and kind in ("string", "hexString", "unicodeString"):
            yield bytes.fromhex(node["hexValue"])
        for each in node.values():
            yield from told(each)


@pytest.mark.solc
def test_texts_of_openzeppelin_are_those_that_solc_tells():
    scope = require_openzeppelin()
    sources = {
        str(file.relative_to(scope.parent)): file.read_text("utf-8")
        for file in sorted(scope.rglob("contracts/**/*.sol"))
        if "node_modules" not in file.relative_to(scope).parts
    }
    output = standard_output(
        {
            "language": "Solidity",
            "sources": {path: {"content": text} for path, text in sources.items()},
            "settings": {
                "stopAfter": "parsing",
                "outputSelection": {"*": {"": ["ast"]}},
            },
        }
    )
    expected, found = Counter[bytes](), Counter[bytes]()
    for path, text in sources.items():
        expected.update(
            each
            for each in told(output["sources"][path]["ast"])
            if 0 < len(each) <= LONGEST_TEXT
        )
        found.update(texts_in(text))
    assert found == expected
    assert len(found) > 50


def test_texts_of_the_main_file_come_first_and_each_stands_once():
    sources = (
        SourceFile("A.sol", 'f("b", "a");'),
        SourceFile("Z.sol", 'f("z", "a", "z");'),
    )
    main = Contract(
        name="Z", source="Z.sol", abi=(), creation_code=b"", runtime_code=b""
    )
    program = Program(contracts=(main,), main="Z.sol:Z", sources=sources)
    assert literal_texts(program) == (b"z", b"a", b"b")
    many = "".join(f'f("{number}");' for number in range(MOST_TEXTS + 1))
    program = Program(
        contracts=(main,), main="Z.sol:Z", sources=(SourceFile("Z.sol", many),)
    )
    assert len(literal_texts(program)) == MOST_TEXTS
