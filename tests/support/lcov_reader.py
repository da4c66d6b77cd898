"""A reader of LCOV tracefiles that knows nothing of the writer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import pytest


@dataclass
class Record:
    """One `SF` section as a reader of tracefiles sees it."""

    lines: dict[int, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)
    branches: dict[tuple[int, int, int], str] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)


def parse(text: str) -> dict[str, Record]:
    """Read LCOV as geninfo(1) describes it, refusing anything else."""
    records: dict[str, Record] = {}
    current: Record | None = None
    assert text == "" or text.endswith("end_of_record\n")
    for line in text.splitlines():
        tag, colon, value = line.partition(":")
        if tag == "TN":
            assert current is None
        elif tag == "SF":
            assert current is None
            assert value not in records
            current = records[value] = Record()
        elif line == "end_of_record":
            assert current is not None
            check(current)
            current = None
        else:
            assert colon, line
            assert current is not None, line
            read(current, tag, value)
    assert current is None
    return records


def read(record: Record, tag: str, value: str) -> None:
    fields = value.split(",")
    match tag:
        case "DA":
            number, count = map(int, fields)
            assert number not in record.lines
            record.lines[number] = count
        case "FN":
            number, name = fields
            assert name not in record.functions
            record.functions[name] = int(number)
        case "FNDA":
            count, name = fields
            record.hits[name] = int(count)
        case "BRDA":
            line, block, number, taken = fields
            key = int(line), int(block), int(number)
            assert key not in record.branches
            record.branches[key] = taken
        case "LF" | "LH" | "FNF" | "FNH" | "BRF" | "BRH":
            record.totals[tag] = int(value)
        case _:
            pytest.fail(f"unknown record {tag}")


def check(record: Record) -> None:
    assert record.totals == {
        "LF": len(record.lines),
        "LH": sum(count > 0 for count in record.lines.values()),
        "FNF": len(record.functions),
        "FNH": sum(count > 0 for count in record.hits.values()),
        "BRF": len(record.branches),
        "BRH": sum(taken not in ("-", "0") for taken in record.branches.values()),
    }
    assert set(record.functions) == set(record.hits)
    outcomes = defaultdict(list)
    for (line, block, number), taken in record.branches.items():
        outcomes[line, block].append((number, taken))
    for pair in outcomes.values():
        assert [number for number, _ in pair] == [0, 1]
        assert len({taken == "-" for _, taken in pair}) == 1
