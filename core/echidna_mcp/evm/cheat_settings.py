"""What decides how cheatcodes act. It is the same for all EVMs of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

CheatDialect: TypeAlias = Literal["foundry", "echidna", "medusa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatSettings:
    """What decides how cheatcodes act.

    Attributes:
        dialect: whose semantics hold where tools differ.
        artifacts: source and name (`File.sol:Name`), creation code and runtime code of
            the contracts that `getCode` and its kin may name.
        allow_ffi: whether `ffi` may run programs.
        internal_expect_revert: whether `expectRevert` may mean the calling frame.
        assertions_revert: whether assertions that fail revert, or only set the flag
            that tells of a failed test.
        errors: by selector, the name of an error of the project and the types of its
            parameters, in parentheses.
        structs: names and members of the structs of the project, which say in what
            order `parseJson` returns the members of an object.
        seed: of `random…`.
    """

    dialect: CheatDialect = "foundry"
    artifacts: tuple[tuple[str, bytes, bytes], ...] = ()
    allow_ffi: bool = False
    internal_expect_revert: bool = False
    assertions_revert: bool = True
    errors: tuple[tuple[bytes, str, str], ...] = ()
    structs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    seed: int = 0
