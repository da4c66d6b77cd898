"""The EVM as a library of kernel functions, and machines that run with it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.fuzz.kernels.loading import kernels_in
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp_plugins.native.code import programs
from echidna_mcp_plugins.native.code.decode import TOKENS
from echidna_mcp_plugins.native.code.fusion import fusions, trie
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.host.cheating import Asked
from echidna_mcp_plugins.native.host.world import new_machine
from echidna_mcp_plugins.native.interpreter import execution, message
from echidna_mcp_plugins.native.opcodes.isa import instruction_table
from echidna_mcp_plugins.native.precompiles.host import precompile_host
from echidna_mcp_plugins.native.search import (
    judging,
    loop,
    passing,
    shrinking,
    sites,
    status,
)
from echidna_mcp_plugins.native.state import accounts, journal, states
from echidna_mcp_plugins.native.state.machine import Machine
from echidna_mcp_plugins.native.state.rules import Fork

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp.kernel.library.library import Library
    from echidna_mcp.kernel.library.plan import Plan

    F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: tuple[Any, ...] = (
    accounts.find_account,
    execution.install_handlers,
    execution.run_call,
    execution.run_creation,
    execution.run_open_call,
    execution.run_open_creation,
    journal.undo_to,
    message.authorize,
    message.list_account,
    message.list_slot,
    message.open_message,
    programs.code_hash,
    programs.forget_programs,
    loop.search,
    loop.attempt,
    judging.doubt,
    passing.pass_over,
    shrinking.try_candidates,
    sites.site_print,
    states.next_change,
    status.learn,
)
"""What Python calls of the EVM."""


class NativeCode:
    """The EVM in one of the modes.

    Attributes:
        mode: how it runs.
    """

    def __init__(self, mode: Mode, library: Library | None) -> None:
        self.mode = mode
        self._library = library

    def function(self, function: F) -> F:
        """Return one of `FUNCTIONS` in this mode."""
        return self._library.function(function) if self._library else function

    @property
    def library(self) -> Library | None:
        """What objects can be added to; None in plain Python."""
        return self._library

    def machine(
        self, config: BackendConfig, capacity: Capacity | None = None
    ) -> Machine:
        """Return a machine with an empty world.

        Raises:
            CapacityError: there is not so much address space.
        """
        m = new_machine(config, capacity)
        m.instructions = words(instruction_table(Fork(m.fork)))
        m.fusions = words(trie(fusions()))
        m.handlers = words([0] * (TOKENS + len(fusions())))
        self.function(execution.install_handlers)(m)
        m.host = Asked(m, config, precompile_host(m))
        return m


@cache
def native_code(mode: Mode) -> NativeCode:
    """Return the EVM in a mode; built or loaded once a process.

    Raises:
        BuildError: LLVM can't compile for this machine.
    """
    if mode == "plain":
        return NativeCode(mode, None)
    # Here, because plain Python must run where llvmlite does not.
    from echidna_mcp.kernel.library.build import BuildOptions  # noqa: PLC0415
    from echidna_mcp.kernel.library.library import Library  # noqa: PLC0415
    from echidna_mcp.user_cache import user_cache  # noqa: PLC0415

    library = Library.load(
        evm_plan(),
        mode=mode,
        cache=user_cache(),
        options=BuildOptions(passes=1),
        # The search generates calls with the functions of the fuzzer.
        beside=kernels_in(mode).library,
    )
    return NativeCode(mode, library)


def evm_plan() -> Plan:
    """Return what the EVM is built from: of this package, every module counts."""
    from echidna_mcp.kernel.library.plan import Plan  # noqa: PLC0415 (for llvmlite, as above)
    from echidna_mcp_plugins.native.interpreter.interpreter import (  # noqa: PLC0415
        add_interpreter,
    )

    return Plan(
        functions=cast("tuple[FunctionType, ...]", FUNCTIONS),
        build=add_interpreter,
        inputs=(import_module(__package__.rpartition(".")[0]),),
        parameters=repr(fusions()),
        shared=True,
        parts=2,
    )
