"""Where a Foundry test takes the creation code of what it deploys from.

From the sources that the campaign has compiled, if they can be imported: then the test
shows, too, whether a bug is mended. From the recorded code if not: sources of Vyper and
those for compilers before 0.5.3, which lack `type(C).creationCode`, artifacts without
sources, and `deployBytecodes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from echidna_mcp.exports.literals import address_literal, bytes_literal, is_identifier
from echidna_mcp.program.plan import ZERO_ARGUMENTS

if TYPE_CHECKING:
    from echidna_mcp.program.model import Contract, Program
    from echidna_mcp.program.plan import Deployment

_VERSION: Final = re.compile(r"solc (\d+)\.(\d+)\.(\d+)")
_OLDEST: Final = (0, 5, 3)


class Sources:
    """The contracts of a program as a test file names them.

    Attributes:
        has_old_syntax: whether what is imported may want a compiler before 0.8.
    """

    def __init__(self, program: Program, taken: frozenset[str]) -> None:
        """Know a program.

        Args:
            program: what was compiled.
            taken: names that the test file has for something else.
        """
        found = _VERSION.match(program.compiler)
        version = tuple(map(int, found.groups())) if found else (0, 0, 0)
        self._program = program
        self._is_readable = version >= _OLDEST
        self._written = {each.path for each in program.sources if each.content}
        self._names: dict[str, str] = {}
        self._taken = set(taken)
        self.has_old_syntax = self._is_readable and version < (0, 8, 0)

    def creation(self, deployment: Deployment) -> str:
        """Return an expression of the creation code, arguments included."""
        contract = deployment.contract
        if contract is None or not self._can_import(contract):
            zeros = bytes(ZERO_ARGUMENTS)
            if deployment.contract is None and deployment.code.endswith(zeros):
                code = bytes_literal(deployment.code[:-ZERO_ARGUMENTS])
                return f"abi.encodePacked({code}, new bytes({ZERO_ARGUMENTS}))"
            return bytes_literal(deployment.code)
        code = f"type({self._name(contract)}).creationCode"
        for library, address in deployment.libraries:
            known = self._name(self._program.named[library])
            code = f"linked({code}, address({known}), {address_literal(address)})"
        if not deployment.arguments:
            return code
        return f"abi.encodePacked({code}, {bytes_literal(deployment.arguments)})"

    def _can_import(self, contract: Contract) -> bool:
        path = PurePosixPath(contract.source)
        return (
            self._is_readable
            and path.suffix == ".sol"
            and not path.is_absolute()
            and contract.source in self._written
            and '"' not in contract.source
            and is_identifier(contract.name)
            and all(
                self._can_import(self._program.named[link.library])
                for link in contract.links
            )
        )

    def _name(self, contract: Contract) -> str:
        """Return the name by which a contract is imported."""
        known = self._names.get(contract.qualified_name)
        if known is not None:
            return known
        name, number = contract.name, 1
        while name in self._taken:
            number += 1
            name = f"{contract.name}_{number}"
        self._taken.add(name)
        self._names[contract.qualified_name] = name
        return name

    def imports(self) -> Iterator[str]:
        """Yield the lines that import what was named so far."""
        for qualified, name in self._names.items():
            contract = self._program.named[qualified]
            renamed = "" if name == contract.name else f" as {name}"
            yield f'import {{{contract.name}{renamed}}} from "{contract.source}";'
