"""The functions of `fuzz` that Python calls, compiled if that is possible.

The results are the same in every mode (`kernel.library.mode`); only the speed differs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from echidna_mcp.background import begin
from echidna_mcp.errors import ConfigError, KernelBuildError
from echidna_mcp.fuzz.calldata import decode_calldata, encode_call
from echidna_mcp.fuzz.climbing.choosing import choose_climb
from echidna_mcp.fuzz.climbing.climb import (
    begin_climb,
    begin_goal_climb,
    judge_variant,
    next_variant,
)
from echidna_mcp.fuzz.climbing.fallen import know_fallen, note_shown
from echidna_mcp.fuzz.climbing.goals import find_goal
from echidna_mcp.fuzz.climbing.profiles import find_profile
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.climbing.sites import (
    know_nearest,
    know_tries,
    list_learnt,
    set_waits,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.waypoints import find_waypoint
from echidna_mcp.fuzz.harvest import Pool, harvest_data
from echidna_mcp.fuzz.mutate_call import fill_arguments
from echidna_mcp.fuzz.sequence import build_sequence
from echidna_mcp.fuzz.shrink import shrink_candidate
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, Words
from echidna_mcp.kernel.library.mode import Mode, chosen_mode

if TYPE_CHECKING:
    from echidna_mcp.kernel.library.library import Library

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernels:
    """The functions; each is described where it is defined.

    Attributes:
        mode: how they run.
        library: what they are compiled in, shared; None in plain Python.
    """

    mode: Mode
    library: Library | None = None
    build_sequence: Callable[[FuzzTables, Words, Bytes, Words, int, Bytes], int]
    choose_climb: Callable[[FuzzTables, Words, Climb, Bytes, int], int]
    know_tries: Callable[[Words, Words, int], None]
    know_nearest: Callable[[Words, Words, int], None]
    know_fallen: Callable[[Words, Words, int], None]
    set_waits: Callable[[Words, int], None]
    list_learnt: Callable[[Words, Words, Words], int]
    look: Callable[[Climb, int, Bytes, int], None]
    begin_climb: Callable[[Climb, Bytes, int, int, int, Bytes, int, int], int]
    begin_goal_climb: Callable[[Climb, Bytes, int, int, Bytes, int, int, int], None]
    find_goal: Callable[[Climb, Bytes, int, int], int]
    find_waypoint: Callable[[Climb, int, Bytes, int], int]
    find_profile: Callable[[Climb, Bytes, int, Bytes, int], int]
    next_variant: Callable[[FuzzTables, Climb], int]
    judge_variant: Callable[[FuzzTables, Climb, Bytes, int, int], int]
    note_shown: Callable[[Climb, Bytes, int], None]
    shrink_candidate: Callable[[FuzzTables, Bytes, int, int, Bytes], int]
    fill_arguments: Callable[[FuzzTables, Words, int, Bytes, int, Bytes, int], int]
    encode_call: Callable[[Words, Words, Bytes, int, Bytes, int], int]
    decode_calldata: Callable[[Words, int, Bytes, int, int, Bytes, int], int]
    harvest_data: Callable[[Pool, Bytes, int, int, int, int], None]


PLAIN_KERNELS = Kernels(
    mode="plain",
    build_sequence=build_sequence,
    choose_climb=choose_climb,
    know_tries=know_tries,
    know_nearest=know_nearest,
    know_fallen=know_fallen,
    set_waits=set_waits,
    list_learnt=list_learnt,
    look=look,
    begin_climb=begin_climb,
    begin_goal_climb=begin_goal_climb,
    find_goal=find_goal,
    find_waypoint=find_waypoint,
    find_profile=find_profile,
    next_variant=next_variant,
    judge_variant=judge_variant,
    note_shown=note_shown,
    shrink_candidate=shrink_candidate,
    fill_arguments=fill_arguments,
    encode_call=encode_call,
    decode_calldata=decode_calldata,
    harvest_data=harvest_data,
)


def load_kernels() -> Kernels:
    """Return the functions in the mode that the environment asks for.

    Where nothing can be compiled they are plain Python, and a warning says so.

    Raises:
        ConfigError: the environment asks for a mode that does not exist.
    """
    return kernels_in(chosen_mode())


@contextmanager
def kernels_loading() -> Iterator[None]:
    """Load meanwhile, in a thread, what `load_kernels` is going to return.

    Only what has been built before: whatever builds also parses, and in Python 3.11 two
    threads must not parse at once (`kernel.compiler.source`). Some modules parse when
    they are imported, as the caller may do meanwhile.
    """
    try:
        loading = _begin(chosen_mode())
    except ConfigError:  # It comes up again, in its place.
        yield
        return
    try:
        yield
    finally:
        # A process must not end while LLVM is at work.
        loading.exception()


def kernels_in(mode: Mode) -> Kernels:
    """Return the functions in a mode; see `load_kernels`.

    They are loaded once a process and mode, however many replicas it has.
    """
    return _begin(mode).result() or _built(mode)


@cache
def _begin(mode: Mode) -> Future[Kernels | None]:
    """Begin to load the functions in a thread; None if they are yet to be built."""
    return begin(lambda: _load(mode, build=False), "kernels")


@cache
def _built(mode: Mode) -> Kernels:
    built = _load(mode, build=True)
    assert built is not None, "what is not stored is built"
    return built


def _load(mode: Mode, *, build: bool) -> Kernels | None:
    if mode == "plain":
        return PLAIN_KERNELS
    try:
        return _compiled(mode, build=build)
    except (KernelBuildError, ImportError, OSError) as error:
        _log.warning("The fuzzer runs as plain Python, which is slower: %s", error)
        return PLAIN_KERNELS


def _compiled(mode: Mode, *, build: bool) -> Kernels | None:
    # Here, because plain Python must run where llvmlite does not.
    from echidna_mcp.kernel.library.build import BuildOptions  # noqa: PLC0415
    from echidna_mcp.kernel.library.library import Library  # noqa: PLC0415
    from echidna_mcp.kernel.library.plan import Plan  # noqa: PLC0415
    from echidna_mcp.user_cache import user_cache  # noqa: PLC0415

    plain: tuple[Any, ...] = (
        build_sequence,
        choose_climb,
        know_tries,
        know_nearest,
        know_fallen,
        set_waits,
        list_learnt,
        look,
        begin_climb,
        begin_goal_climb,
        find_goal,
        find_waypoint,
        find_profile,
        next_variant,
        judge_variant,
        note_shown,
        shrink_candidate,
        fill_arguments,
        encode_call,
        decode_calldata,
        harvest_data,
    )
    library = (Library.load if build else Library.stored)(
        Plan(functions=plain, shared=True),
        mode=mode,
        cache=user_cache(),
        options=BuildOptions(passes=1),
    )
    if library is None:
        return None
    found: dict[str, Any] = {each.__name__: library.function(each) for each in plain}
    return Kernels(mode=mode, library=library, **found)
