"""Tool `find_transaction_in_corpus`: search the corpus (FR-006)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp._generated.outputs import FindTransactionOutput
from echidna_mcp._generated.tools import find_transaction_in_corpus_tool
from echidna_mcp.abi.signatures import parse_signature
from echidna_mcp.plugins import hookimpl
from echidna_mcp.views.corpus import CorpusTransaction, CorpusView
from echidna_mcp_plugins.tools.corpus_transaction import describe
from echidna_mcp_plugins.tools.wei import parse_wei

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import FindTransactionInput
    from echidna_mcp.tools.tool import Tool, ToolContext

MATCH_LIMIT: Final = 500
"""Most transactions that one answer shows; the newest are what an agent looks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What a call must be; None means anything.

    Attributes:
        prefix: how the signature starts: a name and its bracket, for every overload.
        signature: canonical signature.
        sender: lower-case address.
        min_value: least wei.
    """

    prefix: str | None = None
    signature: str | None = None
    sender: str | None = None
    min_value: int | None = None

    @classmethod
    def of(cls, args: FindTransactionInput) -> Criteria:
        """Return the criteria of a tool call.

        Raises:
            CallSyntaxError: the function signature can't be read.
            InvalidInputError: the value is no decimal number.
        """
        prefix = signature = None
        if args.function_signature is not None:
            name, types = parse_signature(args.function_signature)
            if types is None:
                prefix = f"{name}("
            else:
                signature = f"{name}({','.join(types)})"
        return cls(
            prefix=prefix,
            signature=signature,
            sender=None if args.sender is None else args.sender.lower(),
            min_value=(
                None
                if args.min_value is None
                else parse_wei(args.min_value, "minValue")
            ),
        )

    def match(self, call: Mapping[str, Any]) -> bool:
        """Whether a JSON call meets all of them."""
        return (
            (self.signature is None or call["function"] == self.signature)
            and (self.prefix is None or call["function"].startswith(self.prefix))
            and (self.sender is None or call["sender"] == self.sender)
            and (self.min_value is None or int(call["value"]) >= self.min_value)
        )


async def handle(
    args: FindTransactionInput, context: ToolContext
) -> FindTransactionOutput:
    """Return how many calls match, and the newest of them in corpus order."""
    newest: deque[CorpusTransaction] = deque(maxlen=MATCH_LIMIT)
    count = 0
    for transaction in _matches(context.views.corpus, Criteria.of(args)):
        newest.append(transaction)
        count += 1
    if count > MATCH_LIMIT:
        context.warnings.append(
            f"{count} transactions match; these are the newest {MATCH_LIMIT} of them."
        )
    return FindTransactionOutput(
        matches=[describe(transaction, context.texts) for transaction in newest],
        count=count,
    )


def _matches(corpus: CorpusView, criteria: Criteria) -> Iterator[CorpusTransaction]:
    start = 0
    for entry in corpus.entries:
        for position, call in enumerate(entry.calls):
            if criteria.match(call):
                yield CorpusTransaction(start + position, entry, position)
        start += len(entry.calls)


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (find_transaction_in_corpus_tool(handle),)
