"""Every key of Echidna's configuration, and ours.

The files of other tools become settings of these keys (`config.projects`).

Source of names and defaults: Echidna 2.3.3, module `Echidna.Config`. The defaults of
supported keys are those of `CampaignConfig` and `RunOptions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from echidna_mcp.config.campaign import (
    COVERAGE_FORMATS,
    FOUNDRY_MODE,
    TEST_KINDS,
    USUAL_KINDS,
)
from echidna_mcp.config.crytic_args import read_crytic_args
from echidna_mcp.config.readers import (
    Reader,
    address,
    addresses,
    balances,
    boolean,
    choice,
    constructor_args,
    creation_code,
    integer,
    listed,
    number_or_text,
    optional,
    pairs_with_address,
    panic_codes,
    paths,
    pattern,
    permissions,
    plain_address,
    plugin_or_off,
    several,
    text,
    texts,
    thousandths,
    weights,
)
from echidna_mcp.config.workers import read_workers
from echidna_mcp.evm.fork import FORKS
from echidna_mcp.fuzz.tables import MAX_DELAY

_U256 = (1 << 256) - 1
_U64 = (1 << 64) - 1
_U63 = (1 << 63) - 1
_U62 = (1 << 62) - 1
_U32 = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Key:
    """A supported key.

    Attributes:
        name: as in the file.
        owner: whose field it sets; `loaded` is `LoadedConfig` itself.
        field: the field it sets.
        read: checks and converts the value.
        null_is_value: whether `null` means something other than "use the default".
    """

    name: str
    owner: Literal["campaign", "options", "loaded"]
    field: str
    read: Reader
    null_is_value: bool = False


_SECONDS = optional(integer(1, _U32, "seconds"))
_MODES = several(TEST_KINDS, every=USUAL_KINDS, alone=("exploration", FOUNDRY_MODE))

SUPPORTED: tuple[Key, ...] = (
    Key("testMode", "campaign", "test_mode", _MODES),
    Key("psender", "campaign", "psender", plain_address),
    Key("prefix", "campaign", "prefix", text),
    Key("optimizationPrefix", "campaign", "value_prefix", text),
    Key("panicCodes", "campaign", "panic_codes", panic_codes),
    Key("maxFindings", "campaign", "max_findings", integer(0, _U32)),
    Key("testDestruction", "campaign", "test_destruction", boolean),
    Key("propMaxGas", "campaign", "prop_max_gas", integer(1, _U63, "an amount of gas")),
    Key("testMaxGas", "campaign", "test_max_gas", integer(1, _U63, "an amount of gas")),
    Key("maxGasprice", "campaign", "max_gas_price", integer(0, _U256)),
    Key("maxTimeDelay", "campaign", "max_time_delay", integer(0, MAX_DELAY)),
    Key("maxBlockDelay", "campaign", "max_block_delay", integer(0, MAX_DELAY)),
    Key("maxValue", "campaign", "max_value", integer(0, _U256, "an amount of wei")),
    Key("testLimit", "campaign", "test_limit", optional(integer(0, _U63)), True),
    Key("seqLen", "campaign", "seq_len", integer(1, 10_000)),
    Key("shrinkLimit", "campaign", "shrink_limit", integer(0, _U32)),
    Key("stopOnFail", "campaign", "stop_on_fail", boolean),
    Key("coverage", "campaign", "coverage", boolean),
    Key("contractAddr", "campaign", "contract_addr", plain_address),
    Key("deployer", "campaign", "deployer", address),
    Key("sender", "campaign", "senders", addresses),
    Key("anySender", "campaign", "any_sender", boolean),
    Key(
        "deployContracts",
        "campaign",
        "deploy_contracts",
        pairs_with_address('"Name"', text),
    ),
    Key(
        "deployBytecodes",
        "campaign",
        "deploy_bytecodes",
        pairs_with_address('"creation code in hex"', creation_code),
    ),
    Key("constructorArgs", "campaign", "constructor_args", constructor_args),
    Key("balanceAddr", "campaign", "balance_addr", integer(0, _U256)),
    Key("balances", "campaign", "balances", balances),
    Key("balanceContract", "campaign", "balance_contract", integer(0, _U256)),
    Key("codeSize", "campaign", "code_size", integer(0, _U62, "a number of bytes")),
    Key("dictFreq", "campaign", "dict_freq", thousandths),
    Key("allContracts", "campaign", "all_contracts", boolean),
    Key("multi-abi", "campaign", "all_contracts", boolean),
    Key("targetContracts", "campaign", "target_contracts", texts),
    Key("testAllContracts", "campaign", "test_all_contracts", boolean),
    Key(
        "stdInvariant",
        "campaign",
        "std_invariant",
        optional(choice("never", "always")),
    ),
    Key("failOnRevert", "campaign", "fail_on_revert", boolean),
    Key("fuzzFailOnRevert", "campaign", "fuzz_fail_on_revert", boolean),
    Key("fuzzRuns", "campaign", "fuzz_runs", integer(0, _U32)),
    Key("maxTestRejects", "campaign", "max_rejects", integer(0, _U63)),
    Key("maxAssumeRejects", "campaign", "max_assume_rejects", integer(0, _U63)),
    Key("callOverride", "campaign", "call_override", boolean),
    Key("invariantTimeout", "loaded", "invariant_timeout", _SECONDS),
    Key("fuzzTimeout", "loaded", "fuzz_timeout", _SECONDS),
    Key("matchTest", "loaded", "match_test", optional(pattern)),
    Key("noMatchTest", "loaded", "no_match_test", optional(pattern)),
    Key("matchContract", "loaded", "match_contract", optional(pattern)),
    Key("noMatchContract", "loaded", "no_match_contract", optional(pattern)),
    Key("matchPath", "loaded", "match_path", optional(text)),
    Key("noMatchPath", "loaded", "no_match_path", optional(text)),
    Key("filterFunctions", "campaign", "filter_functions", texts),
    Key("filterBlacklist", "campaign", "filter_blacklist", boolean),
    Key("excludeViewPure", "campaign", "exclude_view_pure", boolean),
    Key("mutConsts", "campaign", "mut_consts", weights),
    Key("climbing", "campaign", "climbing", boolean),
    Key("states", "campaign", "states", boolean),
    Key("broods", "campaign", "broods", boolean),
    Key("goals", "campaign", "goals", boolean),
    Key("echoes", "campaign", "echoes", boolean),
    Key("shortening", "campaign", "shortening", boolean),
    Key("harvest", "campaign", "harvest", boolean),
    Key("limits", "campaign", "limits", boolean),
    Key("seldomLimits", "campaign", "seldom_limits", boolean),
    Key("retiring", "campaign", "retiring", boolean),
    Key("followUps", "campaign", "follow_ups", boolean),
    Key("plainTasks", "campaign", "plain_tasks", boolean),
    Key("seldomTargets", "campaign", "seldom_targets", boolean),
    Key("solvedWords", "campaign", "solved_words", boolean),
    Key("fitting", "campaign", "fitting", boolean),
    Key("fittedSequences", "campaign", "fitted_sequences", boolean),
    Key("seldomViews", "campaign", "seldom_views", boolean),
    Key("waypoints", "campaign", "waypoints", boolean),
    Key("profiles", "campaign", "profiles", boolean),
    Key("masks", "campaign", "masks", boolean),
    Key("fields", "campaign", "fields", boolean),
    Key("repairs", "campaign", "repairs", boolean),
    Key("contexts", "campaign", "contexts", boolean),
    Key("keys", "campaign", "keys", boolean),
    Key("shifts", "campaign", "shifts", boolean),
    Key("widths", "campaign", "widths", boolean),
    Key("repetition", "campaign", "repetition", boolean),
    Key("mappingStates", "campaign", "mapping_states", boolean),
    Key("statePairs", "campaign", "state_pairs", boolean),
    Key("pairs", "campaign", "pairs", boolean),
    Key("typed", "campaign", "typed", boolean),
    Key("favoured", "campaign", "favoured", boolean),
    Key("ties", "campaign", "ties", boolean),
    Key("payloads", "campaign", "payloads", boolean),
    Key("literals", "campaign", "literals", boolean),
    Key("functionConstants", "campaign", "function_constants", boolean),
    Key("edges", "campaign", "edges", boolean),
    Key("solver", "campaign", "solver", plugin_or_off),
    Key("symExec", "loaded", "sym_exec", optional(boolean)),
    Key("symExecSMTSolver", "loaded", "sym_exec_solver", optional(text)),
    Key("evmVersion", "campaign", "evm_version", choice(*FORKS)),
    Key("blockNumber", "campaign", "block_number", integer(0, _U62)),
    Key("blockTimestamp", "campaign", "block_timestamp", integer(0, _U62, "seconds")),
    Key("blockGasLimit", "campaign", "block_gas_limit", integer(0, _U64)),
    Key("baseFee", "campaign", "base_fee", integer(0, _U256, "an amount of wei")),
    Key("coinbase", "campaign", "coinbase", address),
    Key("prevRandao", "campaign", "prev_randao", number_or_text(integer(0, _U256))),
    Key("chainId", "campaign", "chain_id", integer(0, _U63)),
    Key("cheatcodes", "campaign", "cheatcodes", boolean),
    Key(
        "cheatDialect",
        "campaign",
        "cheat_dialect",
        choice("foundry", "echidna", "medusa"),
    ),
    Key("assertionsRevert", "campaign", "assertions_revert", boolean),
    Key("allowFFI", "campaign", "allow_ffi", boolean),
    Key("fsPermissions", "campaign", "fs_permissions", optional(permissions), True),
    Key("internalExpectRevert", "campaign", "internal_expect_revert", boolean),
    Key("workers", "campaign", "workers", read_workers),
    Key("roundBudget", "campaign", "round_budget", integer(0, _U63)),
    Key(
        "format",
        "options",
        "format",
        optional(choice("text", "json", "none", "github")),
    ),
    Key("quiet", "options", "quiet", boolean),
    Key("timeout", "options", "timeout", _SECONDS),
    Key("nice", "options", "nice", optional(integer(0, 19))),
    Key("coverageDir", "options", "coverage_dir", optional(text)),
    Key(
        "coverageFormats",
        "options",
        "coverage_formats",
        optional(listed(*COVERAGE_FORMATS, text="txt")),
    ),
    Key("coverageExcludes", "options", "coverage_excludes", texts),
    Key("corpusDir", "options", "corpus_dir", optional(text)),
    Key(
        "corpusFormat",
        "options",
        "corpus_format",
        optional(choice("native", "echidna", "medusa", "foundry")),
    ),
    Key("backend", "options", "backend", text),
    Key("executor", "options", "executor", text),
    Key("plugins", "options", "plugins", text),
    Key("target", "loaded", "target", optional(text)),
    Key("contract", "loaded", "contract", optional(text)),
    Key("seed", "loaded", "seed", optional(integer(0, _U63))),
    Key("cryticArgs", "loaded", "crytic_args", read_crytic_args),
    Key("solcArgs", "loaded", "solc_args", text),
    Key("allowPaths", "loaded", "allow_paths", paths),
)

REFUSED: dict[str, Any] = {
    "rpcUrl": None,
    "rpcBlock": None,
}
"""Keys of Echidna that change what is tested and do not work yet, with its defaults."""

IGNORED: dict[str, Any] = {
    "projectName": None,
    "etherscanApiKey": None,
    "disableOnchainSources": False,
    "server": None,
    "allEvents": False,
    "symExecNSolvers": 1,
    "symExecTimeout": 30,
    "symExecMaxIters": 5,
    "symExecAskSMTIters": 1,
    "symExecTargets": None,
    "symExecMaxExplore": 10,
}
"""Keys of Echidna that only change how it searches or tells, and do nothing here yet,
with its defaults."""

NEEDLESS = ("disableSlither", "solcLibs")
"""Keys of Echidna whose every value means the same here: Slither is never used, and
libraries are linked by themselves."""

OBSOLETE = (
    "initialize",
    "estimateGas",
    "symExecConcolic",
    "checkAsserts",
    "benchmarkMode",
)
"""Keys that Echidna itself has dropped; old files still carry them."""


KEYS: Final = {key.name: key for key in SUPPORTED}


def is_default(key: str, value: Any) -> bool:
    """Whether a key that does not work is set to what Echidna would do anyway."""
    default = (REFUSED | IGNORED)[key]
    if value is None or (value == [] and not default):
        return True
    return type(value) is type(default) and bool(value == default)
