"""The configuration that decides a campaign, after all defaults.

`CampaignConfig` holds everything that can change a result, and nothing else: it is
stored in `CampaignStarted` and is part of the state digest. Where a campaign runs
(backend, executor, directories, output) is `RunOptions`, which never matters to a
result. Names and defaults are Echidna's (`echidna_mcp.config.keys`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, TypedDict

from echidna_mcp.config.newer_fields import UNLESS_DEFAULT, UNSAID
from echidna_mcp.evm.backend import BlockContext
from echidna_mcp.evm.cheat_settings import CheatDialect
from echidna_mcp.evm.fork import NEWEST, ForkName

WORKERS: Final = 8
"""Logical workers that are taken for want of a wish."""

TestKind: TypeAlias = Literal[
    "property",
    "assertion",
    "optimization",
    "overflow",
    "invariant",
    "stateless",
]
TEST_KINDS: Final[tuple[TestKind, ...]] = (
    "property",
    "assertion",
    "optimization",
    "overflow",
)
"""What a campaign can check; in exploration mode it checks nothing."""
USUAL_KINDS: Final[tuple[TestKind, ...]] = TEST_KINDS[:3]
"""What it checks if all kinds are wanted, as Medusa does unasked. Arithmetic that
reverts is rarely a bug."""
FOUNDRY_MODE: Final = "foundry"
"""The wish for Foundry's tests: a campaign checks the invariants of a contract, or its
other tests, which are `invariant` and `stateless` then."""

_BLOCK: Final = BlockContext()


class News(TypedDict):
    """What of a call is news beside the code that it covers.

    Attributes:
        edges: jumps.
        states: what it leaves in the first words of storage.
        mappings: small numbers that it leaves in others.
        pairs: small numbers of two words at once.
    """

    edges: bool
    states: bool
    mappings: bool
    pairs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignConfig:
    """The part of the configuration that decides results.

    Units: delays in seconds and blocks, money in wei, `test_limit` in calls,
    `block_timestamp` in seconds since 1970, `block_gas_limit` in gas,
    `shrink_limit` in attempts a test, `round_budget` in work units a worker and round
    (EVM steps plus `rounds.round.CALL_WORK` a call). `dict_freq` is in thousandths so
    that no float takes part in a decision. `test_limit` None means no limit.
    `evm_version` names the hard fork whose rules hold.
    """

    test_mode: str = "property"
    """Some of `TEST_KINDS`, in their order, joined by commas; `exploration`; or one of
    `invariant` and `stateless`, the two kinds of Foundry's tests."""
    prefix: str = "echidna_"
    """With which names of properties begin; several prefixes with commas between."""
    value_prefix: str = "optimize_"
    """The same of functions whose value is maximized, beside `prefix`."""
    panic_codes: tuple[int, ...] = (1,)
    """Codes of the panics that falsify an assertion test, ascending; 1 is that of
    `assert`."""
    max_findings: int = 1_000
    """Findings after which a campaign ends; an assertion test has one for each site at
    which it fails (`rounds.failures.sites`). 0: one for each test, and no end."""
    test_destruction: bool = False
    """Whether it is tested that no contract is destroyed."""
    psender: int = 0x10000
    prop_max_gas: int = 12_500_000
    test_max_gas: int = 12_500_000
    max_gas_price: int = 0
    max_time_delay: int = 604_800
    max_block_delay: int = 60_480
    max_value: int = 100 * 10**18
    test_limit: int | None = 50_000
    seq_len: int = 100
    shrink_limit: int = 5_000
    coupled_shrinking: bool = True
    """Whether shrinking tries numbers for conditions of any kind, and changes several
    things together (`fuzz.couples`)."""
    stop_on_fail: bool = False
    coverage: bool = True
    contract_addr: int = 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72
    deployer: int = 0x30000
    senders: tuple[int, ...] = (0x10000, 0x20000, 0x30000)
    any_sender: bool = False
    """Whether any other address sends as well (Foundry's invariants)."""
    deploy_contracts: tuple[tuple[int, str], ...] = ()
    """(address, name): what is deployed before the target."""
    deploy_bytecodes: tuple[tuple[int, str], ...] = ()
    """(address, creation code in hex): the same, of what is no contract here."""
    libraries: tuple[tuple[str, int], ...] = ()
    """(name, address): where a library is that is linked; others are placed."""
    constructor_args: tuple[tuple[str, str], ...] = ()
    """(name, JSON): see `program.arguments`."""
    balance_addr: int = 0xFFFFFFFF
    balances: tuple[tuple[int, int], ...] = ()
    """(address, wei): what else an account has, or has instead of `balance_addr`."""
    balance_contract: int = 0
    code_size: int = 0xFFFFFFFF
    all_contracts: bool = False
    """Whether every deployed contract is called."""
    target_contracts: tuple[str, ...] = ()
    """Names of the contracts that are called and tested beside the target (Medusa)."""
    test_all_contracts: bool = False
    """Whether every contract that is called is tested as well (Medusa)."""
    std_invariant: Literal["never", "always"] | None = None
    """Whether the target's StdInvariant getters say what is called; None: if any of
    them does say something."""
    tests: tuple[str, ...] = ()
    """Signatures of Foundry's tests that are checked; all, if there are none."""
    fail_on_revert: bool = False
    """Whether a call that fails, and is not discarded, fails the test of its function:
    so in stateless tests, and in handlers if that is asked for."""
    fuzz_fail_on_revert: bool = True
    """Whether a run of a stateless test with arguments fails though somebody else than
    the test and the cheatcodes has reverted first."""
    fuzz_runs: int = 256
    """Runs of each stateless test with arguments, not counting discarded ones."""
    test_runs: tuple[tuple[str, int], ...] = ()
    """(signature, runs): of tests that have another number of them."""
    max_rejects: int = 65_536
    """Discarded runs of a stateless test after which it is given up."""
    max_assume_rejects: int = 65_536
    """Discarded calls of a sequence; with more of them invariants fail (Foundry)."""
    call_override: bool = False
    """Whether calls of sequences reenter by overrides (Foundry's invariants)."""
    filter_functions: tuple[str, ...] = ()
    filter_blacklist: bool = True
    exclude_view_pure: bool = False
    dict_freq: int = 400
    mut_consts: tuple[int, int, int, int] = (1, 1, 1, 1)
    climbing: bool = True
    states: bool = True
    """Whether new values of the first words of storage are news, if coverage is."""
    mapping_states: bool = True
    """Whether small ones that functions write into mappings and arrays are, too."""
    state_pairs: bool = True
    """Whether what two of the very first words have at once is."""
    broods: bool = True
    """Whether many short sequences go on from one entry of the corpus."""
    goals: bool = True
    """Whether what tests compare is climbed, and news is how near it is."""
    echoes: bool = True
    """Whether fresh calls may have arguments of calls before."""
    shortening: bool = True
    """Whether entries of the corpus lose calls that what they show does not need."""
    harvest: bool = True
    """Whether fresh calls take words that others before them have shown."""
    pairs: bool = True
    """Whether those are sums and differences of two such words, too."""
    typed: bool = True
    """Whether those rather are of no other type than the parameter, if ABIs tell it."""
    limits: bool = True
    """Whether calls are driven to the limits of guards, if they are climbed."""
    seldom_limits: bool = True
    """Whether limits that calls were driven to in vain are tried ever more seldom."""
    seldom_targets: bool = True
    """Whether targets are sought more seldom that luck has found, or nothing moves."""
    solved_events: bool = True
    """Whether it is an event which comparisons climbing has solved first."""
    solved_words: bool = True
    """Whether the words that have solved equations join the dictionary then."""
    fitting: bool = True
    """Whether climbed calls that fail at a guard are made to hold it."""
    fitted_sequences: bool = True
    """Whether more sequences are climbed for that alone."""
    seldom_views: bool = True
    """Whether functions that change nothing are called seldom after some time."""
    waypoints: bool = True
    """Whether it is news how near climbed calls come to what can't be climbed."""
    profiles: bool = True
    """Whether small numbers that climbed calls compare are news."""
    masks: bool = True
    """Whether bits count by which words differ that shall be equal."""
    fields: bool = True
    """Whether numbers are climbed as several that are packed into one."""
    repairs: bool = True
    """Whether what a change of a call breaks may be mended by a second one."""
    contexts: bool = True
    """Whether comparisons seen both ways are other ones in calls of each function."""
    favoured: bool = True
    """Whether what showed new code is gone on from more often than other entries."""
    retiring: bool = True
    """Whether of entries with new states alone only the newest are gone on from."""
    follow_ups: bool = True
    """Whether a task goes on at once from what it has found."""
    plain_tasks: bool = True
    """Whether ever more tasks do without climbing and the like while nothing is new."""
    keys: bool = True
    """Whether fresh calls may have addresses and ids of calls before, if echoes."""
    shifts: bool = True
    """Whether texts are divided anew that fresh calls have of calls before."""
    widths: bool = True
    """Whether numbers of other widths are such ids, too."""
    repetition: bool = True
    """Whether sequences have one to four of their calls many times over, at times."""
    ties: bool = True
    """Whether climbing changes equal numbers of several calls together, at times."""
    payloads: bool = True
    """Whether `bytes` are encoded arguments at times, whose words are climbed."""
    literals: bool = True
    """Whether arguments may be texts that stand in the source."""
    function_constants: bool = True
    """Whether up to half of the constants of a fresh call are those of its function."""
    edges: bool = False
    solver: str = ""
    """Name of the solver plugin that answers what inputs take a branch; none, if it is
    empty."""
    solver_patience: int = 125
    """What jobs in a row that find nothing cost, after which each so much more adds a
    round between two jobs; more if one has found something (`views.solving`)."""
    evm_version: ForkName = NEWEST
    block_number: int = _BLOCK.number
    block_timestamp: int = _BLOCK.timestamp
    block_gas_limit: int = _BLOCK.gas_limit
    base_fee: int = _BLOCK.base_fee
    coinbase: int = _BLOCK.coinbase
    prev_randao: int = _BLOCK.prev_randao
    chain_id: int = _BLOCK.chain_id
    cheatcodes: bool = True
    """Whether there are cheatcodes (`vm`)."""
    cheat_dialect: CheatDialect = "echidna"
    """Whose semantics they have where tools differ."""
    assertions_revert: bool = True
    """Whether assertions of `vm` that fail revert, or only tell so by a flag."""
    internal_expect_revert: bool = False
    """Whether `vm.expectRevert` may mean a revert of the calling function itself."""
    ignore_refused: bool = False
    """Whether tests count that have met cheatcodes which do not work."""
    allow_ffi: bool = False
    """Whether `vm.ffi` runs programs, and tests may read the project, if nothing says
    what they may read."""
    fs_permissions: tuple[tuple[str, str], ...] | None = None
    """(access, path): what cheatcodes may read; access is `read`, `read-write`, `write`
    or `none`, the path relative to the project. None: `out` in the dialect of Foundry,
    else `allow_ffi` decides."""
    workers: int = WORKERS
    round_budget: int = 0
    """0 asks the director to calibrate; what it chose is stored instead."""
    longer_rounds: bool = False
    """Whether it was calibrated: rounds have more while nothing but states is new."""
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal config."""
        return {
            field.name: _listed(getattr(self, field.name))
            for field in fields(self)
            # One that is as always is what it was before it could be otherwise.
            if getattr(self, field.name) != UNSAID.get(field.name, field.default)
            or (field.name not in UNLESS_DEFAULT and field.name not in UNSAID)
        }

    def checks(self, kind: TestKind | Literal["foundry"]) -> bool:
        """Whether tests of a kind are checked, or such a mode is asked for."""
        return kind in self.test_mode.split(",")

    @property
    def of_foundry(self) -> bool:
        """Whether tests of Foundry are checked."""
        return self.checks("invariant") or self.checks("stateless")

    def runs(self, test: str) -> int:
        """Return how many runs a stateless test with arguments has."""
        return dict(self.test_runs).get(test, self.fuzz_runs)

    @property
    def collects_states(self) -> bool:
        """Whether states are news; a sequence of one call has no use for them."""
        return self.states and self.coverage and not self.checks("stateless")

    @property
    def collects_mappings(self) -> bool:
        """Whether small values in mappings are news."""
        return self.mapping_states and self.collects_states

    @property
    def collects_pairs(self) -> bool:
        """Whether small values of two words at once are news."""
        return self.state_pairs and self.collects_states

    @property
    def news(self) -> News:
        """What of a call is news beside the code that it covers."""
        return News(
            edges=self.edges,
            states=self.collects_states,
            mappings=self.collects_mappings,
            pairs=self.collects_pairs,
        )

    @property
    def climbs_tests(self) -> bool:
        """Whether what tests compare is climbed, and how near they come is news."""
        return self.goals and self.climbing and self.coverage

    @property
    def has_waypoints(self) -> bool:
        """Whether calls that come nearer to an outcome of a comparison are news."""
        return self.waypoints and self.coverage and self.seq_len > 1

    @property
    def has_fitted_sequences(self) -> bool:
        """Whether some sequences are climbed to fit their calls alone."""
        return self.fitted_sequences and self.fitting and self.seq_len > 1

    @property
    def has_profiles(self) -> bool:
        """Whether small numbers that calls compare are news."""
        return self.profiles and self.coverage and self.seq_len > 1

    @property
    def harvests(self) -> bool:
        """Whether calls take what others before them have shown: if there are any."""
        return self.harvest and self.seq_len > 1

    @property
    def excuses_reverts(self) -> bool:
        """Whether runs of tests pass in which somebody else has reverted first."""
        return self.checks("stateless") and not self.fuzz_fail_on_revert

    @property
    def block(self) -> BlockContext:
        """Block and chain as the first message sees them."""
        return BlockContext(
            timestamp=self.block_timestamp,
            number=self.block_number,
            gas_limit=self.block_gas_limit,
            coinbase=self.coinbase,
            base_fee=self.base_fee,
            prev_randao=self.prev_randao,
            chain_id=self.chain_id,
            # With no excess of blob gas (EIP-4844); in Echidna there are no blobs.
            blob_base_fee=int(self.of_foundry),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CampaignConfig:
        """Return the config that `to_json` described."""
        known = {field.name for field in fields(cls)}
        values: dict[str, Any] = {
            name: _tupled(value) for name, value in data.items() if name in known
        }
        # What a campaign that does not say so began without.
        return cls(
            **{
                "climbing": False,
                "edges": False,
                "evm_version": "cancun",
                **UNSAID,
                **values,
            }
        )


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(each) for each in value) if isinstance(value, list) else value


_ADDRESSES: Final = ("psender", "contract_addr", "deployer", "senders", "coinbase")
_AMOUNTS: Final = (
    *("max_gas_price", "max_value", "balance_addr", "balance_contract"),
    *("base_fee", "prev_randao"),
)


def shown_config(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `CampaignConfig.to_json` gave as it is shown to others.

    Addresses are lower-case hexadecimal, amounts of wei and other words of 256 bits
    decimal strings, as everywhere outside of the store (requirements 2, data types).
    """
    shown = dict(data)
    for name in _ADDRESSES:
        if isinstance(value := data.get(name), list):
            shown[name] = [f"0x{each:040x}" for each in value]
        elif value is not None:
            shown[name] = f"0x{value:040x}"
    for name in _AMOUNTS:
        if name in data:
            shown[name] = str(data[name])
    for name in ("deploy_contracts", "deploy_bytecodes"):
        if name in data:
            shown[name] = [[f"0x{at:040x}", what] for at, what in data[name]]
    if "libraries" in data:
        shown["libraries"] = [[name, f"0x{at:040x}"] for name, at in data["libraries"]]
    if "balances" in data:
        shown["balances"] = {f"0x{at:040x}": str(wei) for at, wei in data["balances"]}
    return shown


AUTO_EXECUTOR: Final = "auto"

OutputFormat: TypeAlias = Literal["text", "json", "none", "github"]
CoverageFormat: TypeAlias = Literal["txt", "html", "lcov"]
COVERAGE_FORMATS: Final[tuple[CoverageFormat, ...]] = ("txt", "html", "lcov")
ForeignFormat: TypeAlias = Literal["echidna", "medusa", "foundry"]
FOREIGN_FORMATS: Final[tuple[ForeignFormat, ...]] = ("echidna", "medusa", "foundry")
CorpusFormat: TypeAlias = Literal["native"] | ForeignFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Where and how a campaign runs; never part of a result.

    Attributes:
        corpus_dir: directory of the event store and the command log; None makes a
            temporary one.
        corpus_format: in whose format reproducers and corpus are written into
            `corpus_dir` at the end; None for that of the corpora that lie there.
        backend: name of an EVM backend plugin.
        executor: name of an executor plugin, optionally with `:N` physical workers;
            `auto` takes the one that suits the backend.
        plugins: the plugin set as given on the command line.
        timeout: seconds after which the campaign is asked to stop; None for never.
        nice: how far fuzzing steps back behind other programs, 0 to 19, as with
            `nice(1)`; None for a little when there is a server, else not at all.
        format: what is printed; None chooses a live display on a terminal.
        quiet: print only the result, no progress and no warnings.
        coverage_dir: where coverage is written at the end; None for the directory of
            the campaign.
        coverage_formats: in which formats; None for all of a campaign, and for none of
            those that make a suite of Foundry, unless `coverage_dir` is given.
        coverage_excludes: patterns of sources that it leaves out.
    """

    corpus_dir: str | None = None
    corpus_format: CorpusFormat | None = None
    backend: str = "native"
    executor: str = AUTO_EXECUTOR
    plugins: str = "default"
    timeout: int | None = None
    nice: int | None = None
    format: OutputFormat | None = None
    quiet: bool = False
    coverage_dir: str | None = None
    coverage_formats: tuple[CoverageFormat, ...] | None = None
    coverage_excludes: tuple[str, ...] = ()

    @property
    def progress_format(self) -> OutputFormat | None:
        """How progress is shown; `format` says how the result is."""
        return "none" if self.quiet else self.format
