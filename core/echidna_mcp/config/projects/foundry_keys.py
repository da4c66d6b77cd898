"""The keys of `foundry.toml`, by what becomes of them here.

Source: Foundry 1.7.1, `forge config --json` and `crates/config`; of `fuzz` and
`invariant` also what later versions have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MAPPED: Final[Mapping[str, str]] = {
    "block_number": "blockNumber",
    "block_timestamp": "blockTimestamp",
    "block_base_fee_per_gas": "baseFee",
    "block_coinbase": "coinbase",
    "block_prevrandao": "prevRandao",
    "chain_id": "chainId",
    "gas_price": "maxGasprice",
    "code_size_limit": "codeSize",
    "invariant.shrink_run_limit": "shrinkLimit",
    "invariant.max_time_delay": "maxTimeDelay",
    "invariant.max_block_delay": "maxBlockDelay",
    "invariant.timeout": "invariantTimeout",
    "invariant.max_assume_rejects": "maxAssumeRejects",
    "assertions_revert": "assertionsRevert",
    "allow_internal_expect_revert": "internalExpectRevert",
    "fuzz.runs": "fuzzRuns",
    "fuzz.timeout": "fuzzTimeout",
    "fuzz.max_test_rejects": "maxTestRejects",
    "invariant.fail_on_revert": "failOnRevert",
    "invariant.call_override": "callOverride",
    "fuzz.fail_on_revert": "fuzzFailOnRevert",
    "fs_permissions": "fsPermissions",
}
"""What is a setting of ours by itself. Numbers may be texts, also in hexadecimal."""

TEXTS: Final[Mapping[str, str]] = {
    "match_test": "matchTest",
    "no_match_test": "noMatchTest",
    "match_contract": "matchContract",
    "no_match_contract": "noMatchContract",
    "match_path": "matchPath",
    "no_match_path": "noMatchPath",
}
"""The same of settings that are texts."""

REFUSED: Final[Mapping[str, Any]] = {
    "isolate": False,
    "always_use_create_2_factory": False,
    "eth_rpc_url": "",
    "fork_block_number": "",
    "extends": "",
    "hardfork": "",
    "network": "",
    "celo": False,
    "optimism": False,
    "tempo": False,
    "additional_compiler_profiles": [],
    "compilation_restrictions": [],
}
"""What changes what is tested and does not work, with the value that asks for nothing.

`extends` brings in another file, compilers of `solc` are one for
all sources.
"""

IDLE: Final[Mapping[str, Any]] = {"skip": [], "vyper": {}}
"""What changes at most how something is compiled that few have, with its default."""

JOINT: Final = (
    *("sender", "tx_origin", "initial_balance", "gas_limit", "block_gas_limit"),
    *("libraries", "invariant.runs", "invariant.depth", "fuzz.seed", "ffi"),
)
"""What several settings come from, or one of several together; `ffi` is only told."""

COMPILER: Final = (
    *("src", "test", "out", "libs", "remappings", "auto_detect_remappings"),
    *("solc", "solc_version", "evm_version", "via_ir", "optimizer", "optimizer_runs"),
    *("optimizer_details", "bytecode_hash", "cbor_metadata", "use_literal_content"),
    "revert_strings",
)
"""What compilers read of the same profile."""

_EITHER: Final = (
    *("corpus_dir", "corpus_gzip", "corpus_min_mutations", "corpus_min_size"),
    *("corpus_random_sequence_weight", "dictionary_weight", "failure_persist_dir"),
    *("gas_report_samples", "include_push_bytes", "include_storage", "workers"),
    *("max_fuzz_dictionary_addresses", "max_fuzz_dictionary_literals", "runs"),
    *("max_fuzz_dictionary_values", "show_edge_coverage", "sancov_edges", "timeout"),
    *("sancov_trace_cmp", "fail_on_revert", "payable_value_weight", "frontier_limit"),
    *("mutation_weight_splice", "mutation_weight_repeat", "mutation_weight_interleave"),
    *("mutation_weight_prefix", "mutation_weight_suffix", "mutation_weight_abi"),
    *("mutation_weight_cmp", "evm_edge_coverage_collision_free", "include_call_depth"),
)
_OF_FUZZ: Final = (*_EITHER, "max_test_rejects", "seed", "show_logs")
_OF_INVARIANT: Final = (
    *_EITHER,
    *("call_override", "check_interval", "depth", "depth_mode", "min_depth"),
    *("max_assume_rejects", "max_block_delay", "max_time_delay", "show_metrics"),
    *("show_solidity", "shrink_run_limit", "preserve_state", "shrink_sequence"),
)
UNCHANGED: Final = frozenset(
    (
        *(*TEXTS, *COMPILER, "sender", "tx_origin", "initial_balance", "libraries"),
        "fuzz.seed",
    )
) - {"evm_version"}
"""What comments beside tests can't change: how all is compiled, chosen and deployed."""

INHERITED: Final = frozenset(_EITHER)
"""What `[invariant]` has from `[fuzz]` if it does not say it itself."""

NEEDLESS: Final = (
    *("script", "cache", "cache_path", "dynamic_test_linking", "snapshots"),
    *("gas_snapshot_check", "gas_snapshot_emit", "broadcast", "allow_paths", "force"),
    *("include_paths", "gas_reports", "gas_reports_ignore", "auto_detect_solc"),
    *("gas_reports_include_tests", "offline", "model_checker", "verbosity", "names"),
    *("eth_rpc_accept_invalid_certs", "eth_rpc_no_proxy", "eth_rpc_jwt"),
    *("eth_rpc_timeout", "eth_rpc_headers", "eth_rpc_curl", "etherscan_api_key"),
    *("ignored_error_codes", "ignored_error_codes_from", "ignored_warnings_from"),
    *("deny", "deny_warnings", "no_match_coverage"),
    *("test_failures_file", "threads", "show_progress", "live_logs", "sizes"),
    *("prompt_timeout", "block_difficulty"),
    *("memory_limit", "extra_output", "extra_output_files", "ast", "sparse_mode"),
    *("rpc_storage_caching", "no_storage_caching", "no_rpc_rate_limit"),
    *("build_info", "build_info_path", "fmt", "lint", "doc", "bind_json", "labels"),
    *("disable_block_gas_limit", "enable_tx_gas_limit"),
    *("unchecked_cheatcode_artifacts", "create2_library_salt", "create2_deployer"),
    *("dependencies", "soldeer", "legacy_assertions"),
    *("bypass_prevrandao", "transaction_timeout", "script_execution_protection"),
    *("rpc_endpoints", "etherscan", "mutation", "symbolic"),
)
"""What has nothing to change here, whatever its value is.

It formats, lints, reports, caches, asks nodes, or is there for Foundry's own tests.
"""

KNOWN: Final = frozenset(
    (
        *(*MAPPED, *TEXTS, *REFUSED, *IDLE, *JOINT, *COMPILER, *NEEDLESS),
        *(f"fuzz.{key}" for key in _OF_FUZZ),
        *(f"invariant.{key}" for key in _OF_INVARIANT),
    )
)
"""All keys of a profile."""

SECTIONS: Final = frozenset(
    (
        *("profile", "fuzz", "invariant", "fmt", "lint", "doc", "bind_json", "labels"),
        *("rpc_endpoints", "etherscan", "vyper", "soldeer", "dependencies", "external"),
        *("mutation", "symbolic"),
    )
)
"""All tables of the file that are no profile."""
