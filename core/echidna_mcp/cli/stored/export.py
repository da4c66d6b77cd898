"""`echidna-mcp export`, and exports at the end of `run`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.cli.stored.campaign import StoredCampaign, subjects
from echidna_mcp.corpora.layouts import LAYOUTS
from echidna_mcp.corpora.model import EntryError
from echidna_mcp.corpora.stored import stored_calls as in_other_fuzzers
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.exports.foundry import TestFile, foundry_test
from echidna_mcp.exports.literals import identifier
from echidna_mcp.exports.reproducer import reproducer_of
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.reports.call_texts import CallTexts
from echidna_mcp.traces.execution import Rerun
from echidna_mcp.traces.tracer import stored_calls
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.views.campaign import CampaignViews

ExportForm: TypeAlias = Literal["foundry", "echidna", "medusa", "text"]
"""A test, an entry of another fuzzer's corpus, or what reports print."""

_ENDINGS: Final = {"echidna": "txt", "medusa": "json"}
"""Of the files in which those keep their JSON."""


def export(
    directory: Path,
    what: Sequence[str],
    plugins: str,
    *,
    form: ExportForm,
    output: Path | None,
) -> None:
    """Run the command.

    Args:
        directory: of a campaign, or of campaigns, of which the newest is taken.
        what: name of a test, or `corpus` and the number of a sequence; empty for all
            findings.
        plugins: as in `--plugins`.
        form: what is written.
        output: directory for files; None prints.

    Raises:
        UsageError: there is no such campaign, test or sequence, it can't be told in
            this form, or files can't be written.
        StoreError: the campaign can't be read, or was changed by another program.
    """
    campaign = StoredCampaign.read(directory)
    views = campaign.views
    wanted = campaign.wanted(what, "export")
    if not wanted:
        show(
            f"No test of {campaign.place} is falsified. To export a sequence of its "
            f"corpus, which has {counted(len(views.corpus), 'sequence')}, add: "
            "corpus 0."
        )
        return
    if form == "text":
        files = [_text(views, subject) for subject in wanted]
    elif form != "foundry":
        files = [_entry(views, subject, form) for subject in wanted]
    else:
        backends = PluginManager.load(plugins).backends
        backend = pick_backend(backends, campaign.backend)
        files = list(_foundry_tests(views, backend, wanted))
    if output is not None:
        for path in _written(files, output):
            show(f"Written: {printable(str(path))}")
        return
    show("\n".join(each.text for each in files), nl=False)


def export_findings(
    views: CampaignViews, backend: BackendPlugin, directory: Path
) -> None:
    """Write each finding of a campaign that has ended as a Foundry test.

    What can't be told so is told as a sentence: the result of the campaign must not be
    lost.
    """
    try:
        files = []
        rerun = Rerun(views, backend) if subjects(views) else None
        for subject in subjects(views):
            assert rerun is not None
            try:
                reproducer = reproducer_of(views, rerun, subject)
                files.append(foundry_test(views.target, reproducer))
            except UsageError as error:
                show(printable(error.message), err=True)
        for path in _written(files, directory):
            show(f"Foundry test: {printable(str(path))}", err=True)
    except EchidnaMcpError as error:
        show(f"Nothing is exported: {printable(error.message)}", err=True)


def _foundry_tests(
    views: CampaignViews, backend: BackendPlugin, wanted: Sequence[str | int]
) -> Iterator[TestFile]:
    rerun = Rerun(views, backend)
    for subject in wanted:
        yield foundry_test(views.target, reproducer_of(views, rerun, subject))


def _text(views: CampaignViews, subject: str | int) -> TestFile:
    """Return a sequence as reports print it."""
    title = name = _name(subject)
    calls = _calls(views, subject)
    if isinstance(subject, str):
        title = f"{name}: {views.properties.records[subject].reason}"
    texts = CallTexts(views.target)
    lines = sequence_lines(views.target, [texts.text(each) for each in calls], calls)
    body = "".join(f"    {line}\n" for line in lines)
    return TestFile(
        f"{identifier(name)}.txt", f"{printable(title)}\n  Call sequence:\n{body}"
    )


def _entry(
    views: CampaignViews, subject: str | int, form: Literal["echidna", "medusa"]
) -> TestFile:
    """Return a sequence as another fuzzer keeps it in its corpus.

    Raises:
        UsageError: it has no such form.
    """
    name = _name(subject)
    layout = LAYOUTS[form]
    try:
        calls = in_other_fuzzers(_calls(views, subject), views.target)
        text = layout.write(calls)
    except EntryError as error:
        raise UsageError(
            f"{printable(name)} can't be told in {layout.title}'s format: {error}; "
            "--as text prints it."
        ) from None
    return TestFile(f"{identifier(name)}.{_ENDINGS[form]}", f"{text.rstrip()}\n")


def _name(subject: str | int) -> str:
    return f"corpus {subject}" if isinstance(subject, int) else subject


def _calls(views: CampaignViews, subject: str | int) -> Sequence[Mapping[str, Any]]:
    if isinstance(subject, int):
        return views.corpus.entries[subject].calls
    return stored_calls(views, subject)


def _written(files: Sequence[TestFile], directory: Path) -> Iterator[Path]:
    """Write files into a directory, which is made; yield where.

    Raises:
        UsageError: that is not possible.
    """
    taken: set[str] = set()
    for file in files:
        stem, _, ending = file.name.partition(".")
        name, number = file.name, 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}.{ending}"
        taken.add(name)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(file.text, "utf-8")
        except OSError as error:
            raise UsageError(
                f"{directory / name} can't be written: {error.strerror}; name another "
                "directory."
            ) from error
        yield directory / name
