"""`corpus frontiers`: comparisons of which a corpus shows one outcome, for forge."""

from __future__ import annotations

from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.corpus.listing import print_problems
from echidna_mcp.cli.corpus.subject import TargetWish, open_subject
from echidna_mcp.cli.corpus.writing import refuse_used
from echidna_mcp.corpora.directory import write_entry
from echidna_mcp.corpora.frontier_files import FILE, write_frontiers
from echidna_mcp.corpora.frontiers import FrontierSearch
from echidna_mcp.wording import counted


def write_all(directory: Path, wish: TargetWish, limit: int, output: Path) -> None:
    """Run the command.

    Raises:
        UsageError: `output` holds something, or no target is known.
        StoreError: it can't be written.
        EchidnaMcpError: as `open_subject`; or the target can't be deployed.
    """
    refuse_used(output)
    subject = open_subject(directory, wish)
    print_problems(subject)
    bench = subject.on_bench()
    search = FrontierSearch(bench.target, bench.answers, bench.backend)
    for entry in subject.entries:
        search.play(entry.calls or ())
    contract = bench.target.program.main_contract.name
    taken: set[str] = set()
    for test, frontiers in search.found(limit):
        name = test.partition("(")[0] or "test"
        # Forge tells tests of one name apart by nothing.
        name = test if name in taken else name
        taken.add(name)
        path = output / contract / name / FILE
        text = write_frontiers(test, limit, frontiers)
        write_entry(path, text.encode("utf-8", "surrogatepass"))
        show(printable(f"{path}: {counted(len(frontiers), 'frontier')}"))
    both = sum(len(each) > 1 for each in search.outcomes.values())
    total = counted(len(search.outcomes), "comparison")
    sequences = counted(len(subject.entries), "sequence")
    show(f"{sequences} reach {total}, {both} of them with both outcomes.")
