"""What a command of `echidna-mcp corpus` is about: a campaign, or another's corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echidna_mcp.cli.request.campaign import make_request, read_settings
from echidna_mcp.cli.request.options import campaign_options
from echidna_mcp.cli.request.place import newest_campaign, stores_in
from echidna_mcp.cli.stored.campaign import StoredCampaign
from echidna_mcp.config.campaign import ForeignFormat
from echidna_mcp.corpora.directory import ForeignCorpus, read_corpus
from echidna_mcp.corpora.fitting import fitted, interfaces
from echidna_mcp.corpora.layouts import recognised
from echidna_mcp.corpora.model import (
    EntryError,
    Interfaces,
    Problem,
    Purpose,
    StoredCall,
    StoredSequence,
)
from echidna_mcp.corpora.stored import home_test, stored_calls
from echidna_mcp.errors import UsageError
from echidna_mcp.events.store import store_path
from echidna_mcp.evm.outside import Answers
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.events import payloads
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.rounds.backend import BackendPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A sequence.

    Attributes:
        name: its file, or what it is called in a campaign.
        kept: what it was kept for, in words.
        purpose: the same as others store it.
        stored: as it is stored; None if only a campaign can store it.
        calls: as events have them; None without a target.
        remarks: how `calls` differ from what is stored.
        length: how many calls are stored.
    """

    name: str
    kept: str
    purpose: Purpose
    stored: StoredSequence | None
    calls: Sequence[payloads.Call] | None
    remarks: tuple[str, ...] = ()
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What sequences can be run on.

    Attributes:
        target: what is called.
        answers: what the outside has answered.
        backend: its EVM.
    """

    target: FuzzTarget
    answers: Answers
    backend: BackendPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A campaign or a corpus, opened.

    Attributes:
        place: its directory.
        formats: of the corpus; none of a campaign.
        entries: in the order of their numbers, from 0.
        problems: files that hold no sequence, and sequences without another form.
        bench: None if no target is known.
    """

    place: Path
    formats: tuple[ForeignFormat, ...]
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    bench: Bench | None

    def on_bench(self) -> Bench:
        """Return what its sequences can be run on.

        Raises:
            UsageError: no target is known.
        """
        if self.bench is None:
            raise UsageError(
                f"{self.place} is a corpus without its target, whose ABI and code this "
                "needs; name it with --target."
            )
        return self.bench


@dataclass(frozen=True, slots=True)
class TargetWish:
    """What the command line says of the target.

    Attributes:
        path: None if it says nothing.
        options: words of the command line as those of `run`.
        plugins: the plugin set.
    """

    path: Path | None
    options: tuple[str, ...]
    plugins: str


def open_subject(directory: Path, wish: TargetWish) -> Subject:
    """Open a campaign, or a corpus of another fuzzer.

    A corpus in which campaigns lie has the target of the newest of them, if none is
    named. Of a directory that has only campaigns the newest is taken.

    Raises:
        UsageError: there is neither.
        StoreError: the campaign can't be read, or was changed by another program.
        EchidnaMcpError: the target that is named can't be compiled or deployed.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory} is no directory; name one of a campaign.")
    if is_corpus(directory):
        return _of_corpus(directory, wish)
    if wish.path is not None:
        raise UsageError(
            f"{directory} is of a campaign, which knows its target; leave --target out."
        )
    direct = store_path(directory).exists()
    return _of_campaign(directory if direct else newest_campaign(directory), wish)


def is_corpus(directory: Path) -> bool:
    """Whether a directory is another fuzzer's corpus, and no campaign itself."""
    return not store_path(directory).exists() and bool(recognised(directory))


def _of_campaign(place: Path, wish: TargetWish) -> Subject:
    views, backend = _campaign(place, wish)
    entries = tuple(_campaign_entries(views))
    return Subject(
        place=place,
        formats=(),
        entries=entries,
        problems=tuple(
            Problem(each.name, remark) for each in entries for remark in each.remarks
        ),
        bench=Bench(
            target=views.target, answers=views.outside.answers, backend=backend
        ),
    )


def _campaign(place: Path, wish: TargetWish) -> tuple[CampaignViews, BackendPlugin]:
    campaign = StoredCampaign.at(place)
    backends = PluginManager.load(wish.plugins).backends
    return campaign.views, pick_backend(backends, campaign.backend)


def _campaign_entries(views: CampaignViews) -> Iterator[Entry]:
    for record in views.properties.falsified:
        if record.calls:
            yield _own(
                name=f"falsified {record.name}",
                kept=f"falsifies {record.name}",
                test=record.test,
                calls=record.calls,
                purpose="reproducer",
                target=views.target,
            )
    for entry in views.corpus.entries:
        if entry.calls:
            points = counted(entry.new_points, "new point")
            yield _own(
                name=f"corpus {entry.entry}",
                kept=f"{entry.source}, {points}",
                test=home_test(entry.calls, views.target),
                calls=entry.calls,
                purpose="coverage",
                target=views.target,
            )


def _own(
    *,
    name: str,
    kept: str,
    purpose: Purpose,
    calls: Sequence[payloads.Call],
    test: str,
    target: FuzzTarget,
) -> Entry:
    remarks: tuple[str, ...] = ()
    stored = None
    try:
        stored = StoredSequence(
            file=name,
            calls=stored_calls(calls, target),
            purpose=purpose,
            contract=target.program.main_contract.name,
            test=test.partition("(")[0],
        )
    except EntryError as error:
        remarks = (f"only a campaign can store it: {error}",)
    return Entry(
        name=name,
        kept=kept,
        purpose=purpose,
        stored=stored,
        calls=calls,
        remarks=remarks,
        length=len(calls),
    )


def _of_corpus(directory: Path, wish: TargetWish) -> Subject:
    bench = _bench(directory, wish)
    known = Interfaces(()) if bench is None else interfaces(bench.target)
    corpus = read_corpus(directory, known)
    assert corpus is not None  # Its folders have been seen.
    entries = tuple(_corpus_entries(corpus, bench, known))
    return Subject(
        place=directory,
        formats=tuple(each.name for each in corpus.formats),
        entries=entries,
        problems=corpus.problems,
        bench=bench,
    )


def _bench(directory: Path, wish: TargetWish) -> Bench | None:
    if wish.path is None:
        if not stores_in(directory):
            return None
        views, backend = _campaign(newest_campaign(directory), wish)
        answers = views.outside.answers
        return Bench(target=views.target, answers=answers, backend=backend)
    command = campaign_options(click.Command("target"))
    words = [str(wish.path), *wish.options, "--plugins", wish.plugins]
    parameters: dict[str, Any] = command.make_context("target", words).params
    request = make_request(read_settings(parameters), unlimited=False)
    return Bench(
        target=request.target,
        answers=Answers(request.target.world.answers),
        backend=pick_backend(request.plugins.backends, request.options.backend),
    )


def _corpus_entries(
    corpus: ForeignCorpus, bench: Bench | None, known: Interfaces
) -> Iterator[Entry]:
    codec = None if bench is None else CallCodec(bench.target)
    for sequence in corpus.sequences:
        stored = _complete(sequence, bench, known)
        calls: Sequence[payloads.Call] | None = None
        remarks: tuple[str, ...] = ()
        if codec is not None:
            fitting = fitted(stored, codec)
            calls = [codec.to_json(call) for call in fitting.calls]
            remarks = fitting.remarks
        kept = "reproducer" if sequence.purpose == "reproducer" else "coverage"
        if sequence.test:
            kept = f"{kept} of {sequence.test}"
        yield Entry(
            name=sequence.file,
            kept=kept,
            purpose=sequence.purpose,
            stored=stored,
            calls=calls,
            remarks=remarks,
            length=len(sequence.calls),
        )


def _complete(
    sequence: StoredSequence, bench: Bench | None, known: Interfaces
) -> StoredSequence:
    """Return a sequence with what its format leaves out and the target tells."""
    calls = tuple(_named(call, known) for call in sequence.calls)
    completed = replace(sequence, calls=calls)
    if bench is None or sequence.contract:
        return completed
    names = [each.name.partition("(")[0] for each in bench.target.tests]
    contract = bench.target.program.main_contract.name
    return replace(completed, contract=contract, test=next(iter(names), ""))


def _named(call: StoredCall, known: Interfaces) -> StoredCall:
    """Return a call with its function, and the names of struct members."""
    if call.kind != "call":
        return call
    found = known.of_calldata(call.calldata)
    if found is None:
        return call
    named = replace(call, function=found)
    # Calldata that is no call of that function is told as it was.
    return call if named.arguments is None else named
