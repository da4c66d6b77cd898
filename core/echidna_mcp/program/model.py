"""A compiled program, independent of the compiler that made it.

A `Program` is an input of the campaign function (design: a campaign is a pure function
of program, config, seed and commands), so it is immutable, it serialises to JSON and
back without loss, and it has a digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source text. Its index in `Program.sources` is what source maps refer to."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Span:
    """A byte range of a source file (`file` indexes `Program.sources`)."""

    file: int
    start: int
    length: int

    def holds(self, other: Span) -> bool:
        """Whether `other` lies within this range."""
        end, other_end = self.start + self.length, other.start + other.length
        return self.file == other.file and self.start <= other.start <= other_end <= end


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSource:
    """Where a function stands in the source and which modifiers it carries.

    `signature` is canonical (`transfer(address,uint256)`) for functions that the ABI
    lists, and the bare name for internal ones and modifiers.
    """

    signature: str
    span: Span
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Where the code of a contract wants the address of a library.

    Attributes:
        library: qualified name.
        creation, runtime: where the 20 bytes begin in either code; they are zero there.
    """

    library: str
    creation: tuple[int, ...] = ()
    runtime: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One compiled contract.

    Attributes:
        name: name without path.
        source: path of the file that defines it.
        abi: the ABI as compilers print it, one mapping an entry.
        creation_code, runtime_code: bytecode, with zeros for what `links` say.
        links: the libraries that the code calls, in order of qualified name.
        immutables: (start, length) ranges of the runtime code that the constructor
            fills in; Vyper appends them instead, see `appended_immutables`.
        appended_immutables: bytes that deployment appends to the runtime code.
        creation_map, runtime_map: source maps in solc's compressed format, one entry an
            instruction; empty if unknown.
        functions: source ranges of functions; empty if the compiler gave no AST.
        branches: source ranges of statements and expressions that branch (`if`, loops,
            `require`, `assert`, `&&`, `||`, `?:`); empty if unknown.
        storage_layout: `storageLayout` as solc prints it, without what only compilers
            need; None if unknown. It decides nothing, and is no part of the identity.
    """

    name: str
    source: str
    abi: tuple[Mapping[str, Any], ...]
    creation_code: bytes
    runtime_code: bytes
    links: tuple[Link, ...] = ()
    immutables: tuple[tuple[int, int], ...] = ()
    appended_immutables: int = 0
    creation_map: str = ""
    runtime_map: str = ""
    functions: tuple[FunctionSource, ...] = ()
    branches: tuple[Span, ...] = ()
    storage_layout: Mapping[str, Any] | None = None

    @property
    def qualified_name(self) -> str:
        """`path:Name`, unique in a program."""
        return f"{self.source}:{self.name}"


class Deriving:
    """A frozen dataclass that keeps what it derives, as cached properties do.

    Pickled it goes without: another thread may be deriving something right then.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields."""
        assert is_dataclass(self)
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class Program(Deriving):
    """Everything that was compiled together, and which contract is the target.

    Attributes:
        contracts: in order of qualified name.
        main: qualified name of the target.
        sources: source files; source maps index them.
        compiler: name and version, e.g. `solc 0.8.37+commit.…`.
        evm_version: the hard fork for which the target was compiled, as the compiler
            names it; empty if unknown.
        interfaces: what has an ABI and no code, in order of qualified name; only if the
            target may ask for some (`StdInvariant.targetInterfaces`).
        library_addresses: where libraries are to lie, by qualified name and in the
            order in which they are deployed, as far as the artifact says it.
    """

    contracts: tuple[Contract, ...]
    main: str
    sources: tuple[SourceFile, ...] = ()
    compiler: str = ""
    evm_version: str = ""
    interfaces: tuple[Contract, ...] = ()
    library_addresses: tuple[tuple[str, int], ...] = ()

    @property
    def main_contract(self) -> Contract:
        """The target."""
        return self.named[self.main]

    @cached_property
    def named(self) -> Mapping[str, Contract]:
        """Contracts and interfaces by qualified name."""
        return {c.qualified_name: c for c in (*self.contracts, *self.interfaces)}

    @cached_property
    def digest(self) -> str:
        """sha256 over the canonical JSON, as hex: the identity of the program."""
        canonical = json.dumps(
            self._to_json(layouts=False),
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        return hashlib.sha256(canonical.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal program."""
        return self._to_json(layouts=True)

    def _to_json(self, *, layouts: bool) -> dict[str, Any]:
        # Programs from before it was asked keep their digests.
        compiled_for = {"evmVersion": self.evm_version} if self.evm_version else {}
        interfaces = [_contract_to_json(c, layouts=layouts) for c in self.interfaces]
        addresses = [list(pair) for pair in self.library_addresses]
        return {
            "compiler": self.compiler,
            **compiled_for,
            **({"interfaces": interfaces} if interfaces else {}),
            **({"libraryAddresses": addresses} if addresses else {}),
            "main": self.main,
            "sources": [[s.path, s.content] for s in self.sources],
            "contracts": [
                _contract_to_json(c, layouts=layouts) for c in self.contracts
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Program:
        """Return the program that `to_json` described."""
        return cls(
            compiler=data["compiler"],
            evm_version=data.get("evmVersion", ""),
            main=data["main"],
            sources=tuple(SourceFile(path, text) for path, text in data["sources"]),
            contracts=tuple(_contract_from_json(c) for c in data["contracts"]),
            interfaces=tuple(map(_contract_from_json, data.get("interfaces", ()))),
            library_addresses=tuple(
                (name, address) for name, address in data.get("libraryAddresses", ())
            ),
        )


def _span_to_json(span: Span) -> list[int]:
    return [span.file, span.start, span.length]


def _contract_to_json(contract: Contract, *, layouts: bool) -> dict[str, Any]:
    links = [[x.library, list(x.creation), list(x.runtime)] for x in contract.links]
    layout = contract.storage_layout if layouts else None
    return {
        # Programs from before there were any keep their digests.
        **({"links": links} if links else {}),
        "name": contract.name,
        "source": contract.source,
        "abi": [dict(entry) for entry in contract.abi],
        "creationCode": contract.creation_code.hex(),
        "runtimeCode": contract.runtime_code.hex(),
        "immutables": [list(pair) for pair in contract.immutables],
        "appendedImmutables": contract.appended_immutables,
        "creationMap": contract.creation_map,
        "runtimeMap": contract.runtime_map,
        "functions": [
            [f.signature, _span_to_json(f.span), list(f.modifiers)]
            for f in contract.functions
        ],
        "branches": [_span_to_json(span) for span in contract.branches],
        **({} if layout is None else {"storageLayout": dict(layout)}),
    }


def _contract_from_json(data: Mapping[str, Any]) -> Contract:
    return Contract(
        name=data["name"],
        source=data["source"],
        abi=tuple(data["abi"]),
        creation_code=bytes.fromhex(data["creationCode"]),
        runtime_code=bytes.fromhex(data["runtimeCode"]),
        links=tuple(
            Link(library=name, creation=tuple(creation), runtime=tuple(runtime))
            for name, creation, runtime in data.get("links", ())
        ),
        immutables=tuple((start, length) for start, length in data["immutables"]),
        appended_immutables=data["appendedImmutables"],
        creation_map=data["creationMap"],
        runtime_map=data["runtimeMap"],
        functions=tuple(
            FunctionSource(signature=name, span=Span(*span), modifiers=tuple(modifiers))
            for name, span, modifiers in data["functions"]
        ),
        branches=tuple(Span(*span) for span in data["branches"]),
        storage_layout=data.get("storageLayout"),
    )
