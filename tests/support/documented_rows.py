"""What each documented key of Echidna does, with the verdicts with it and without it.

Rules are those of Echidna 2.3.3; where a row differs on purpose it says so
(docs/configuration.md, "Where Echidna does something else").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from documented import Played, played

from echidna_mcp.views.properties import PropertyState

DESTRUCTION: Final = "No contract can be self-destructed"
TARGET_DESTRUCTION: Final = "Target contract is not self-destructed"
OVERFLOW: Final = "Integer (over/under)flow"


def names(text: str) -> frozenset[str]:
    """Return the names of tests between semicolons."""
    return frozenset(name.strip() for name in text.split(";") if name.strip())


@dataclass(frozen=True)
class Row:
    """One key, and what it does.

    Attributes:
        key: its name.
        contract: of `Documented.sol`.
        text: the lines that set it.
        fails: the tests that are falsified with it, between semicolons, and values as
            `name: value`; of all others the verdict is that they hold.
        without: the same without `text`; None if it is not the verdict that it decides.
        base: lines of the file with and without it.
        shows: what else is so, of a campaign with it and one without.
    """

    key: str
    contract: str
    text: str
    fails: str = ""
    without: str | None = None
    base: str = ""
    shows: Callable[[Played, Played], bool] | None = None

    def __str__(self) -> str:
        """Name the row in reports of pytest."""
        return f"{self.key}: {self.contract}, {self.text.splitlines()[0]}"

    def with_it(self, backend: str = "compiled") -> tuple[Played, ...]:
        """Play the campaigns that the option is asked of."""
        return played(self.contract, f"{self.base}\n{self.text}", backend)

    def without_it(self, backend: str = "compiled") -> tuple[Played, ...]:
        """Play the campaigns that are the same but for it."""
        return played(self.contract, self.base, backend)


ASSERTIONS: Final = (
    "AssertionFailed(..); asserts(uint8); emits(uint8); emitsAndReverts(uint8); "
    "invalid(uint8); passesOn(uint8); saysSo(uint8)"
)
PROPERTIES: Final = (
    "echidna_small; echidna_reverts; echidna_burns; echidna_revert_sometimes"
)
"""Of `Modes`. A property that reverts or runs out of gas fails; one that should revert
holds until it does not."""

MODES: Final = (
    Row("testMode", "Modes", "testMode: property", PROPERTIES),
    Row("testMode", "Modes", "testMode: assertion", ASSERTIONS, PROPERTIES),
    Row("testMode", "Modes", "testMode: overflow", OVERFLOW, PROPERTIES),
    Row("testMode", "Wraps", "testMode: overflow"),
    Row("testMode", "Modes", "testMode: exploration", "", PROPERTIES),
    Row(
        "testMode",
        "Best",
        "testMode: optimization",
        "echidna_best: 255; echidna_least: -3; echidna_time: 1",
    ),
    # Echidna passes over tests without arguments, and checks either kind by `seqLen`;
    # forge's rules hold here (docs/foundry.md).
    Row(
        "testMode",
        "FoundryTests",
        "testMode: foundry",
        "test_fuzz(uint8); test_unit(); invariant_small()",
    ),
    # Events below count, undone ones as well; an assertion counts that gets to the top.
    Row(
        "testMode",
        "Nested",
        "testMode: assertion",
        "AssertionFailed(..); emitsBelow(uint8); tells(uint8)",
        base="testMaxGas: 300000",
    ),
    # Only the target's functions are tests, but any contract's event counts.
    Row(
        "testMode",
        "Twin",
        "testMode: assertion",
        "AssertionFailed(..)",
        base='deployContracts: [["0x2222", "Modes"]]\nallContracts: true',
    ),
    # Nothing but one encoded true is true, and any failure is a revert.
    Row(
        "testMode",
        "Answers",
        "testMode: property",
        (
            "echidna_two; echidna_long; echidna_empty; echidna_loops; "
            "echidna_revert_empty"
        ),
        base="propMaxGas: 100000",
        shows=lambda run, _: all(
            each.calls == [] for each in run.views.properties.falsified
        ),
    ),
    Row("testMode", "Frozen", "testMode: property"),
    Row("testMode", "Clock", "testMode: optimization", "echidna_clock: 1"),
    Row(
        "testMode",
        "SetUp",
        "testMode: property",
        base="filterFunctions: ['SetUp.setUp()']",
    ),
    Row(
        "testMode",
        "SetUpTest",
        "testMode: property",
        "echidna_unready; echidna_by_others",
    ),
    # Since Cancun only what a call has created itself is destroyed.
    Row(
        "testDestruction",
        "Destroys",
        "testDestruction: true",
        DESTRUCTION,
        "",
        base="testMode: exploration",
    ),
    Row(
        "testDestruction",
        "Destroyed",
        "testDestruction: true",
        f"{DESTRUCTION}; {TARGET_DESTRUCTION}",
        "",
        base="testMode: exploration\nsolcArgs: --evm-version shanghai",
    ),
)

ROLES: Final = (
    Row("psender", "Roles", 'psender: "0x20000"', "echidna_psender", ""),
    # It need not be a sender.
    Row("psender", "Roles", 'psender: "0xabc"', "echidna_psender", ""),
    Row(
        "contractAddr",
        "Roles",
        'contractAddr: "0x7777777777777777777777777777777777777777"',
        "echidna_address",
        "",
    ),
    Row("deployer", "Roles", 'deployer: "0x20000"', "echidna_deployer", ""),
    Row(
        "sender",
        "Roles",
        'sender: ["0x50000"]',
        "echidna_sender; echidna_balances",
        "",
    ),
    Row(
        "sender",
        "Roles",
        'sender: ["0x10000", "0x20000", "0x50000"]',
        "echidna_sender",
        "",
    ),
    Row("balanceAddr", "Roles", "balanceAddr: 5", "echidna_balances", ""),
    Row("balanceContract", "Roles", "balanceContract: 1", "echidna_empty", ""),
)

CALLS: Final = (
    Row(
        "propMaxGas",
        "Gas",
        "propMaxGas: 22000",
        "echidna_cheap; echidna_light",
        "echidna_light",
    ),
    Row("testMaxGas", "Gas", "testMaxGas: 60000", "", "echidna_light"),
    # In Echidna origins gain a refund of what they never paid; not here.
    Row(
        "maxGasprice",
        "Pays",
        "maxGasprice: 7",
        "echidna_free; echidna_poor",
        "echidna_poor",
    ),
    Row("maxValue", "Pays", "maxValue: 1000", "", "echidna_poor"),
    Row(
        "maxTimeDelay",
        "Waits",
        "maxTimeDelay: 1000",
        "echidna_near; echidna_still",
        "echidna_soon; echidna_near; echidna_still",
    ),
    Row(
        "maxBlockDelay",
        "Waits",
        "maxBlockDelay: 50",
        "echidna_soon; echidna_still",
        "echidna_soon; echidna_near; echidna_still",
    ),
    Row(
        "maxTimeDelay",
        "Waits",
        "maxTimeDelay: 0\nmaxBlockDelay: 0",
        "",
        "echidna_soon; echidna_near; echidna_still",
    ),
    # In Echidna nothing passes if one of them is 0; here the other one does.
    Row(
        "maxTimeDelay",
        "Waits",
        "maxTimeDelay: 0",
        "echidna_near; echidna_still",
        "echidna_soon; echidna_near; echidna_still",
    ),
    Row("seqLen", "Counts", "seqLen: 3", "", "echidna_short"),
    Row(
        "prefix",
        "Prefixed",
        "prefix: fuzz_",
        "fuzz_small; fuzz_revert_never",
        "echidna_called",
    ),
)

FUNCTIONS: Final = (
    Row(
        "filterFunctions",
        "Filters",
        "filterFunctions: ['Filters.bad(uint8)']",
        "",
        "echidna_whole",
    ),
    Row(
        "filterFunctions",
        "Filters",
        "filterFunctions: ['Filters.reads(uint8)']",
        "computes(uint8)",
        "reads(uint8); computes(uint8)",
        base="testMode: assertion",
    ),
    Row(
        "filterBlacklist",
        "Filters",
        "filterBlacklist: false",
        "",
        "echidna_whole",
        base="filterFunctions: ['Filters.good(uint8)']",
    ),
    Row(
        "excludeViewPure",
        "Filters",
        "excludeViewPure: true",
        "",
        "reads(uint8); computes(uint8)",
        base="testMode: assertion",
    ),
)

PLACED: Final = 'deployContracts: [["0x2222", "Placed"]]'
ANSWERS: Final = "600a600c600039600a6000f3602a60005260206000f3"
"""Creation code of what answers every call with 42."""

DEPLOYED: Final = (
    # What takes arguments gets zeros.
    Row("deployContracts", "Neighbours", PLACED, "echidna_alone", ""),
    Row(
        "deployBytecodes",
        "Neighbours",
        f'deployBytecodes: [["0x3333", "{ANSWERS}"]]',
        "echidna_no_bytecode",
        "",
    ),
    *(
        Row(
            key,
            "Neighbours",
            f"{key}: true",
            "echidna_alone; echidna_uncalled",
            "echidna_alone",
            base=PLACED,
        )
        for key in ("allContracts", "multi-abi")
    ),
    Row("solcLibs", "Linked", "solcLibs: ['Documented.sol:Halves']", "echidna_half"),
    Row(
        "cryticArgs",
        "Linked",
        "cryticArgs: ['--compile-libraries=(Halves,0x11111)']",
        "echidna_half; echidna_place",
        "echidna_half",
    ),
    Row(
        "solcArgs",
        "Destroyed",
        "solcArgs: --evm-version shanghai",
        f"{DESTRUCTION}; {TARGET_DESTRUCTION}",
        "",
        base="testMode: exploration\ntestDestruction: true",
    ),
    Row("allowFFI", "Programs", "allowFFI: true", "echidna_unrun", ""),
    Row("disableSlither", "Modes", "disableSlither: true", PROPERTIES),
)


def attempts(run: Played) -> int:
    """Return the most attempts to shrink one reproducer."""
    return max(each.attempts for each in run.views.properties.records.values())


def is_shrunk(run: Played) -> bool:
    """Whether every reproducer has its final form."""
    return not run.views.properties.in_state(PropertyState.SHRINKING)


def searches_otherwise(run: Played, other: Played) -> bool:
    """Whether two campaigns have made different calls."""
    progress, others = run.views.progress, other.views.progress
    return (progress.gas, progress.reverts) != (others.gas, others.reverts)


HIDDEN: Final = "echidna_untouched; echidna_hidden"
BLIND: Final = (
    "climbing: false\nsolver: off\nechoes: false\nshortening: false\nharvest: false\n"
    "functionConstants: false\n"
    "testLimit: 2000"
)
"""Only the dictionary knows the number, and gives it sooner or later."""

SEARCH: Final = (
    Row("dictFreq", "Magic", "dictFreq: 0", "echidna_untouched", HIDDEN, BLIND),
    Row(
        "dictFreq",
        "Magic",
        "dictFreq: 1",
        HIDDEN,
        "echidna_untouched",
        "climbing: false\nsolver: off\nbroods: false\n"
        "echoes: false\nshortening: false\nharvest: false\n"
        "functionConstants: false",
    ),
    Row(
        "stopOnFail",
        "Magic",
        "stopOnFail: true",
        "echidna_untouched",
        HIDDEN,
        BLIND,
        lambda run, _: run.stopped == "FastFailed" and is_shrunk(run),
    ),
    # Echidna goes on if shrinking has come to its limit; here that is an end as well.
    Row(
        "stopOnFail",
        "Modes",
        "stopOnFail: true",
        PROPERTIES,
        base="shrinkLimit: 1",
        shows=lambda run, other: (
            run.stopped == "FastFailed" and other.stopped == "TestLimitReached"
        ),
    ),
    # Echidna counts one call more for each sequence, and finishes its last one.
    Row(
        "testLimit",
        "Counts",
        "testLimit: 3",
        "",
        "echidna_short",
        shows=lambda run, _: run.views.progress.calls == 3,
    ),
    Row(
        "shrinkLimit",
        "Modes",
        "shrinkLimit: 3",
        PROPERTIES,
        shows=lambda run, other: attempts(run) == 3 < attempts(other),
    ),
    Row(
        "coverage",
        "Modes",
        "coverage: false",
        PROPERTIES,
        shows=lambda run, other: (
            bool(other.views.corpus.entries) and not run.views.corpus.entries
        ),
    ),
    Row("seed", "Modes", "seed: 8", PROPERTIES, shows=searches_otherwise),
    Row(
        "workers",
        "Modes",
        "workers: 3",
        PROPERTIES,
        base="seed: 15",
        shows=lambda run, other: (
            len(run.views.progress.workers) == 3 and searches_otherwise(run, other)
        ),
    ),
    Row(
        "mutConsts",
        "Modes",
        "mutConsts: [900, 900, 900, 900]",
        PROPERTIES,
        shows=searches_otherwise,
    ),
)

TABLE: Final = (*MODES, *ROLES, *CALLS, *FUNCTIONS, *DEPLOYED, *SEARCH)
