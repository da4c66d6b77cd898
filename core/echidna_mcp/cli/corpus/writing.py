"""`corpus convert`, `minimize` and `merge`: sequences into a new directory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.corpus.listing import print_problems
from echidna_mcp.cli.corpus.subject import (
    Entry,
    Subject,
    TargetWish,
    is_corpus,
    open_subject,
)
from echidna_mcp.config.campaign import ForeignFormat
from echidna_mcp.corpora.directory import extend_corpus
from echidna_mcp.corpora.layouts import LAYOUTS
from echidna_mcp.corpora.minimizing import features_of, smallest_cover
from echidna_mcp.corpora.playing import Player
from echidna_mcp.errors import UsageError
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.corpora.playing import Played

_OWN: Final[ForeignFormat] = "echidna"
"""In which format the corpus of a campaign is written, if none is asked for."""


def convert(
    directory: Path, wish: TargetWish, form: ForeignFormat, output: Path
) -> None:
    """Run the command `convert`.

    Raises:
        UsageError: `output` holds something.
        StoreError: it can't be written.
        EchidnaMcpError: as `open_subject`.
    """
    refuse_used(output)
    subject = open_subject(directory, wish)
    print_problems(subject)
    _write(subject.entries, form, output)


def minimize(
    directory: Path, wish: TargetWish, form: ForeignFormat | None, output: Path
) -> None:
    """Run the command `minimize`; raises as `convert`, and if no target is known."""
    refuse_used(output)
    subject = open_subject(directory, wish)
    print_problems(subject)
    played = play_all(subject)
    kept = smallest_cover(features_of(played), [each.calls for each in played])
    _write([subject.entries[number] for number in kept], _form(subject, form), output)
    total = counted(len(played), "sequence")
    show(f"{len(kept)} of {total} cover and falsify all that all of them do.")


def merge(
    directories: Sequence[Path],
    wish: TargetWish,
    form: ForeignFormat | None,
    output: Path,
) -> None:
    """Run the command `merge`.

    Raises:
        UsageError: `output` holds something, or the targets differ.
        EchidnaMcpError: as `convert`.
    """
    refuse_used(output)
    alone = TargetWish(None, (), wish.plugins)  # Campaigns know their targets.
    subjects = [
        open_subject(each, wish if is_corpus(each) else alone) for each in directories
    ]
    _refuse_strangers(subjects)
    entries: list[Entry] = []
    for subject in subjects:
        print_problems(subject)
        entries += subject.entries
    entries.sort(key=lambda entry: entry.purpose != "reproducer")
    _write(entries, _form(subjects[0], form), output)


def play_all(subject: Subject) -> list[Played]:
    """Run all sequences of a campaign or a corpus.

    Raises:
        UsageError: no target is known.
        DeploymentError: it can't be deployed.
    """
    bench = subject.on_bench()
    player = Player(bench.target, bench.answers, bench.backend)
    codec = CallCodec(bench.target)
    return [player.play(codec.sequence(x.calls or ())) for x in subject.entries]


def _refuse_strangers(subjects: Iterable[Subject]) -> None:
    """Refuse to put together what calls different programs.

    Raises:
        UsageError: two targets differ.
    """
    known = {
        each.bench.target.program.digest: each.place
        for each in subjects
        if each.bench is not None
    }
    if len(known) > 1:
        first, second, *_ = known.values()
        raise UsageError(
            f"{first} and {second} are of different programs, and sequences of one "
            "mean nothing to the other; merge those of one program."
        )


def _form(subject: Subject, wanted: ForeignFormat | None) -> ForeignFormat:
    return wanted or (subject.formats[0] if subject.formats else _OWN)


def refuse_used(output: Path) -> None:
    """Refuse to write into a directory that holds something.

    Raises:
        UsageError: it does, or is none.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(
            f"{output} holds something already, and nothing is changed in its place; "
            "name a new directory with --output."
        )


def _write(entries: Sequence[Entry], form: ForeignFormat, output: Path) -> None:
    layout = LAYOUTS[form]
    sequences = [entry.stored for entry in entries if entry.stored is not None]
    written = extend_corpus(output, layout, sequences)
    for problem in written.problems:
        show(printable(f"Warning: {problem.sentence}"), err=True)
    number = counted(len(written.files), "sequence")
    same = f", {written.known} were the same as others" if written.known else ""
    lost = len(entries) - len(written.files) - written.known
    left = f", {lost} have no such form" if lost else ""
    show(printable(f"{number} in {layout.title}'s format in {output}{same}{left}."))
