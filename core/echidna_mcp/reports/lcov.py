"""Coverage as an LCOV tracefile.

Source of the format: geninfo(1). Counts are those of `reports.files`: a coverage map
alone knows which instructions were executed, not how often, and gives 1 or 0. Lines,
functions and branches that several contracts share (inheritance, libraries) are merged:
covered in one is covered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from echidna_mcp.reports.files import FileCoverage

_END = "end_of_record\n"
_KEPT = frozenset(
    ["TN", "SF", "FNF", "FNH", "BRF", "BRH", "LF", "LH", "end_of_record\n"]
)
_COMMENT_BYTES = 250


def lcov(files: Mapping[str, FileCoverage]) -> str:
    """Return the tracefile of some files, by path (DumpLcov, FR-003).

    Files are in order of path, records in order of line, so equal coverage gives equal
    text. Branch 0 of a block is the fall-through, branch 1 the jump; `-` means that the
    condition was never evaluated.
    """
    records = [
        line
        for path in sorted(files)
        for line in _record(path, files[path])
        if files[path].lines
    ]
    return "".join(f"{line}\n" for line in records)


def abridged(text: str, room: int) -> str:
    """Return what of a tracefile fits into an answer.

    The first files are told whole as long as there is room for the totals of the
    others, then only totals. A comment, which readers pass over, says what is missing.

    Args:
        text: a tracefile, ASCII or not.
        room: bytes of the answer.
    """
    if len(text.encode()) <= room:
        return text
    whole = [record + _END for record in text.split(_END)[:-1]]
    totals = [_totals(record) for record in whole]
    room -= _COMMENT_BYTES
    later = sum(len(record.encode()) for record in totals)
    kept: list[str] = []
    only_totals = 0
    for record, short in zip(whole, totals, strict=True):
        size, least = len(record.encode()), len(short.encode())
        later -= least
        if size + later <= room:
            kept.append(record)
            room -= size
        elif least <= room:
            kept.append(short)
            room -= least
            only_totals += 1
    return "".join(kept) + (
        f"# Too long for one answer: of {len(whole)} files {only_totals} are told only "
        f"in totals and {len(whole) - len(kept)} not at all; "
        "dump_lcov with outputPath writes everything to a file.\n"
    )


def _totals(record: str) -> str:
    """Return a record without what its totals count."""
    lines = record.splitlines(keepends=True)
    return "".join(line for line in lines if line.partition(":")[0] in _KEPT)


def _record(path: str, file: FileCoverage) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{path}"
    yield from _functions(file)
    yield from _branches(file)
    for line, count in sorted(file.lines.items()):
        yield f"DA:{line},{count}"
    yield f"LF:{len(file.lines)}"
    yield f"LH:{sum(count > 0 for count in file.lines.values())}"
    yield "end_of_record"


def _functions(file: FileCoverage) -> Iterator[str]:
    # Readers split at commas and key functions by name: signatures would not survive,
    # and neither would overloads, which get their line as a suffix.
    ordered = sorted(file.functions.items())
    times = Counter(name for (_, name), _ in ordered)
    named = [
        (line, name if times[name] == 1 else f"{name}:{line}", count)
        for (line, name), count in ordered
    ]
    for line, name, _ in named:
        yield f"FN:{line},{name}"
    for _, name, count in named:
        yield f"FNDA:{count},{name}"
    yield f"FNF:{len(named)}"
    yield f"FNH:{sum(count > 0 for _, _, count in named)}"


def _branches(file: FileCoverage) -> Iterator[str]:
    found = hit = 0
    blocks: Counter[int] = Counter()
    for branch in file.ordered_branches():
        line = branch.line
        for number, taken in enumerate((branch.fell_through, branch.jumped)):
            count = str(taken) if branch.reached else "-"
            yield f"BRDA:{line},{blocks[line]},{number},{count}"
            found += 1
            hit += taken > 0
        blocks[line] += 1
    yield f"BRF:{found}"
    yield f"BRH:{hit}"
