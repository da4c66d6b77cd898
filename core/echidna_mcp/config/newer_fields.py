"""Fields of campaigns that are newer than the first stored campaigns.

What a campaign does not say about them is what it did before they were there, so it
replays as it ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

UNLESS_DEFAULT: Final = (
    "longer_rounds",
    "deploy_contracts",
    "deploy_bytecodes",
    "libraries",
    "constructor_args",
    "all_contracts",
    "target_contracts",
    "test_all_contracts",
    "std_invariant",
    "balances",
    "block_number",
    "block_timestamp",
    "block_gas_limit",
    "base_fee",
    "coinbase",
    "prev_randao",
    "chain_id",
    "cheatcodes",
    "cheat_dialect",
    "assertions_revert",
    "internal_expect_revert",
    "ignore_refused",
    "allow_ffi",
    "fs_permissions",
    "tests",
    "fail_on_revert",
    "fuzz_runs",
    "test_runs",
    "max_rejects",
    "max_assume_rejects",
    "call_override",
    "fuzz_fail_on_revert",
    "any_sender",
    "value_prefix",
    "panic_codes",
    "test_destruction",
    "solver",
)
"""Fields that are stored only if they are not as by default: they are newer than the
first campaigns."""

UNSAID: Final[Mapping[str, Any]] = {
    "max_findings": 0,
    "solver_patience": 2_000,
    "coupled_shrinking": False,
    "states": False,
    "mapping_states": False,
    "state_pairs": False,
    "broods": False,
    "goals": False,
    "echoes": False,
    "shortening": False,
    "harvest": False,
    "limits": False,
    "seldom_limits": False,
    "seldom_targets": False,
    "solved_events": False,
    "solved_words": False,
    "fitting": False,
    "fitted_sequences": False,
    "seldom_views": False,
    "literals": False,
    "function_constants": False,
    "payloads": False,
    "ties": False,
    "widths": False,
    "keys": False,
    "shifts": False,
    "pairs": False,
    "typed": False,
    "repetition": False,
    "favoured": False,
    "retiring": False,
    "follow_ups": False,
    "plain_tasks": False,
    "contexts": False,
    "waypoints": False,
    "profiles": False,
    "masks": False,
    "fields": False,
    "repairs": False,
}
"""Fields that are stored unless they have this value, which is what they were in
campaigns that do not have them. What a value means may be another matter since: a
campaign that goes on does so as this version does."""
