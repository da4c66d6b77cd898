"""Tool `find_transaction_in_corpus`: search the corpus (FR-006)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echidna_mcp._generated.outputs import FindTransactionOutput
from echidna_mcp._generated.tools import find_transaction_in_corpus_tool
from echidna_mcp.abi.signatures import (
    closest_names,
    numbered,
    parse_signature,
    qualified_by,
    split_qualifier,
)
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.display import shown
from echidna_mcp.tools.size import fitting
from echidna_mcp.wording import did_you_mean, some
from echidna_mcp_plugins.tools.corpus_transaction import describe
from echidna_mcp_plugins.tools.wei import parse_wei

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import FindTransactionInput
    from echidna_mcp.abi.function import AbiFunction
    from echidna_mcp.tools.tool import Tool, ToolContext

MATCH_LIMIT: Final = 500
"""Most transactions that one answer shows; the newest are what an agent looks for."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a call must be; None means anything.

    Attributes:
        functions: canonical signatures.
        sender: lower-case address.
        min_value: least wei.
    """

    functions: frozenset[str] | None = None
    sender: str | None = None
    min_value: int | None = None


def criteria(args: FindTransactionInput, functions: Iterable[AbiFunction]) -> Criteria:
    """Return what a tool call asks for.

    Args:
        args: of the tool.
        functions: all that a corpus can hold. A bare name means every overload, a full
            signature exactly one (design §8), of the contract that stands before it, if
            one does.

    Raises:
        CallSyntaxError: the function signature can't be read.
        InvalidInputError: the value is no decimal number.
    """
    wanted = None
    if args.function_signature is not None:
        qualifier, rest = split_qualifier(args.function_signature)
        name, types = parse_signature(rest)
        full = None if types is None else f"{name}({','.join(types)})"
        wanted = frozenset(
            function.signature
            for function in qualified_by(numbered(qualifier)[0], functions)
            if (function.name if full is None else function.plain_signature)
            == (name if full is None else full)
        )
    return Criteria(
        wanted,
        None if args.sender is None else args.sender.lower(),
        None if args.min_value is None else parse_wei(args.min_value, "minValue"),
    )


async def handle(
    args: FindTransactionInput, context: ToolContext
) -> FindTransactionOutput:
    """Return how many calls match, and the newest of them in corpus order."""
    functions = context.views.target.functions
    asked = criteria(args, functions)
    if asked.functions is not None and not asked.functions:
        context.warnings.append(_unknown(args.function_signature or "", functions))
    corpus = context.views.corpus
    found = corpus.matching(asked.functions, asked.sender, asked.min_value)
    count = len(found)
    matches = fitting(
        describe(corpus.at(index), context.texts)
        for index in reversed(found[-MATCH_LIMIT:])
    )
    if len(matches) < count:
        context.warnings.append(
            f"{count} transactions match; these are the newest {len(matches)} of them."
        )
    return FindTransactionOutput(matches=matches[::-1], count=count)


def _unknown(signature: str, functions: Sequence[AbiFunction]) -> str:
    """Return a sentence about a function that is never called."""
    name = parse_signature(split_qualifier(signature)[1])[0]
    hint = did_you_mean(
        closest_names(name, functions),
        f"they call {some([each.signature for each in functions])}.",
    )
    return f"Sequences call no function {shown(signature)}; {hint}"


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (find_transaction_in_corpus_tool(handle),)
