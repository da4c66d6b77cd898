"""Libraries: compiled kernel functions, ready to be called from Python."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, TypeVar, cast

import llvmlite.binding as llvm

from echidna_mcp.errors import EchidnaMcpError, KernelBuildError
from echidna_mcp.kernel.compiler.source import name_of
from echidna_mcp.kernel.compiler.unit import ADDED_SITE, Unit
from echidna_mcp.kernel.language.pending import PENDING
from echidna_mcp.kernel.language.processor import give_way, nanoseconds
from echidna_mcp.kernel.library.build import (
    BuildOptions,
    host,
    target_machine,
)
from echidna_mcp.kernel.library.builders import build_all
from echidna_mcp.kernel.library.calling import make_call
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp.user_cache import ObjectCache

F = TypeVar("F", bound=Callable[..., Any])

_FORMAT: Final = 3
"""Of what is cached; a new number makes old entries unreachable."""
_NUMBERS: Final = itertools.count()


class KernelUsageError(EchidnaMcpError):
    """A library is asked for something that it does not have."""


@dataclass(frozen=True, slots=True)
class _Image:
    """Machine code, what it exports and shares, and what its trap numbers mean."""

    symbols: dict[str, str]
    shared: dict[str, str]
    sites: list[str]
    objects: list[bytes]

    def to_bytes(self) -> bytes:
        parts = {
            "symbols": self.symbols,
            "shared": self.shared,
            "sites": self.sites,
            "sizes": [len(each) for each in self.objects],
        }
        head = json.dumps(parts).encode()
        return b"".join([len(head).to_bytes(8, "little"), head, *self.objects])

    @classmethod
    def from_bytes(cls, data: bytes) -> _Image:
        end = 8 + int.from_bytes(data[:8], "little")
        head = json.loads(data[8:end])
        objects = []
        for size in head["sizes"]:
            objects.append(data[end : end + size])
            end += size
        return cls(head["symbols"], head["shared"], head["sites"], objects)


class Library:
    """Kernel functions in one of the modes.

    Attributes:
        mode: how they run.
        key: under which the machine code is kept in the cache; "" in plain Python.
        cached: whether it was found there.
    """

    def __init__(
        self,
        mode: Mode,
        image: _Image | None,
        *,
        key: str = "",
        cached: bool = False,
        beside: Library | None = None,
    ) -> None:
        self.mode = mode
        self.key = key
        self.cached = cached
        self._image = image
        self._calls: dict[str, Callable[..., Any]] = {}
        self._objects: list[llvm.ResourceTracker] = []
        self._beside = beside
        self._names: list[str] = []
        if image is not None:
            # JITLink puts all sections of an object side by side; LLVM's older loader
            # aborts when they lie too far apart.
            self._jit: llvm.LLJIT = (
                llvm.create_lljit_compiler(target_machine(), use_jit_link=True)
                if beside is None
                else beside._jit  # noqa: SLF001 - ours, too
            )
            wanted = list(image.symbols.values())
            name = f"kernel-{next(_NUMBERS)}"
            if beside is not None:
                self._names += beside._names  # noqa: SLF001
            self._addresses = self._link(
                name, image.objects, wanted, trap=_TRAP_ADDRESS
            )
            self._names.append(name)

    @classmethod
    def load(
        cls,
        plan: Plan,
        *,
        mode: Mode = "compiled",
        cache: ObjectCache | None = None,
        options: BuildOptions | None = None,
        beside: Library | None = None,
    ) -> Library:
        """Return the library of a plan, built if the cache does not have it.

        Args:
            beside: a library of the same mode with a shared plan: its functions are
                called instead of being built again.

        Raises:
            KernelError: a function is not in the kernel language.
            KernelBuildError: LLVM can't compile it here.
        """
        if mode == "plain":
            return cls(mode, None)
        options = options or BuildOptions()
        cache = cache or ObjectCache(None)
        key = _key(plan, mode, options, beside)
        found = cls._found(key, mode, cache, beside)
        if found is not None:
            return found
        image = _translate(plan, options, beside, checked=mode == "checked")
        cache.put(key, image.to_bytes())
        return cls(mode, image, key=key, beside=beside)

    @classmethod
    def stored(
        cls,
        plan: Plan,
        *,
        mode: Mode,
        cache: ObjectCache,
        options: BuildOptions,
        beside: Library | None = None,
    ) -> Library | None:
        """Return the library of a plan if the cache has it; nothing is parsed for that.

        See `load`.
        """
        return cls._found(_key(plan, mode, options, beside), mode, cache, beside)

    @classmethod
    def _found(
        cls, key: str, mode: Mode, cache: ObjectCache, beside: Library | None
    ) -> Library | None:
        found = cache.get(key)
        if found is None:
            return None
        try:
            image = _Image.from_bytes(found)
            return cls(mode, image, key=key, cached=True, beside=beside)
        except (KernelBuildError, ValueError, KeyError):
            return None  # built by something that had the same key and was not the same

    def function(self, function: F) -> F:
        """Return `function`, compiled. It takes the same arguments.

        The GIL is free while it runs. Buffers can't be resized meanwhile; exceptions of
        callbacks are raised at the end.

        Raises:
            KernelUsageError: the plan does not have it.
        """
        if self._image is None:
            return function
        plain = cast("FunctionType", function)
        name = name_of(plain)
        if name not in self._calls:
            symbol = self._image.symbols.get(name)
            if symbol is None:
                raise KernelUsageError(f"{name} is not in the plan of this library.")
            self._calls[name] = make_call(
                plain, self._addresses[symbol], sites=self._image.sites, owner=self
            )
        return cast("F", self._calls[name])

    def address(self, symbol: str) -> int:
        """Return where a symbol of the machine code lies: an entry, or from raw IR.

        Raises:
            KernelUsageError: there is none, or the library is plain Python.
        """
        if self._image is not None:
            try:
                found = self._jit.lookup(self._names[-1], symbol)
            except RuntimeError:
                pass
            else:
                self._objects.append(found)
                return int(found[symbol])
        raise KernelUsageError(f"This library has no symbol {symbol}.")

    @property
    def shared(self) -> Mapping[str, str]:
        """The symbols of functions that added objects may call (`Unit.beside`)."""
        if self._image is None:
            return {}
        below = self._beside.shared if self._beside else {}
        return {**below, **self._image.shared}

    @property
    def sites(self) -> Sequence[str]:
        """What the numbers of checks mean (`Unit.sites`)."""
        return [] if self._image is None else self._image.sites

    def add_object(self, code: bytes, symbols: Sequence[str]) -> dict[str, int]:
        """Load an object file beside this library, whose symbols it may use.

        It stays as long as the library.

        Returns:
            Addresses of its `symbols`.

        Raises:
            KernelBuildError: it is no object file, or uses symbols that do not exist.
            KernelUsageError: the library is plain Python.
        """
        if self._image is None:
            raise KernelUsageError("A library in plain Python can't load objects.")
        name = f"{self._names[-1]}-{next(_NUMBERS)}"
        return self._link(name, [code], symbols, trap=_ADDED_TRAP_ADDRESS)

    def _link(
        self,
        name: str,
        objects: Sequence[bytes],
        symbols: Sequence[str],
        *,
        trap: int,
    ) -> dict[str, int]:
        """Load objects that may use what `_names` have."""
        builder = llvm.JITLibraryBuilder()
        for code in objects:
            builder.add_object_img(code)
        builder.import_symbol("kernel_trap", trap)
        builder.import_symbol("kernel_give_way", _GIVE_WAY_ADDRESS)
        builder.import_symbol("kernel_clock", _CLOCK_ADDRESS)
        # What LLVM may call by itself: memcpy, memset and the like.
        builder.add_current_process()
        for each in self._names:
            builder.add_jit_library(each)
        for symbol in symbols:
            builder.export_symbol(symbol)
        try:
            tracker = builder.link(self._jit, name)
        except RuntimeError as error:
            raise KernelBuildError(f"LLVM can't load the code: {error}") from error
        self._objects.append(tracker)
        return {symbol: int(tracker[symbol]) for symbol in symbols}


def _key(plan: Plan, mode: Mode, options: BuildOptions, beside: Library | None) -> str:
    here = host()
    return plan.key(
        f"{_FORMAT} {mode} {options}",
        f"{here.triple} {here.cpu} {here.features} {here.versions}",
        beside.key if beside else "",
    )


def _translate(
    plan: Plan, options: BuildOptions, beside: Library | None, *, checked: bool
) -> _Image:
    unit = Unit(
        checked=checked,
        shared=plan.shared,
        beside=beside.shared if beside else None,
        sites=beside.sites if beside else (),
    )
    if plan.build is not None:
        plan.build(unit)
    symbols = {name_of(each): unit.export(each).symbol for each in plan.functions}
    objects = build_all(unit.render_parts(plan.parts), options)
    return _Image(symbols, unit.symbols, unit.sites, objects)


_TRAP = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(PENDING.put_site)
"""Where checked code reports to; kept alive for as long as code may call it."""
_TRAP_ADDRESS: Final = cast("int", ctypes.cast(_TRAP, ctypes.c_void_p).value)
_ADDED_TRAP = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(
    lambda _site: PENDING.put_site(ADDED_SITE)
)
"""The same for added objects, whose sites nobody keeps."""
_ADDED_TRAP_ADDRESS: Final = cast(
    "int", ctypes.cast(_ADDED_TRAP, ctypes.c_void_p).value
)

_GIVE_WAY = (
    ctypes.CDLL(None).sched_yield
    if hasattr(os, "sched_yield")
    else ctypes.CFUNCTYPE(None)(give_way)
)
"""`processor.give_way`, without Python where there is a function for it."""
_GIVE_WAY_ADDRESS: Final = cast("int", ctypes.cast(_GIVE_WAY, ctypes.c_void_p).value)


def _clock(_which: int, place: int) -> int:
    words = (ctypes.c_uint64 * 2).from_address(place)
    words[0], words[1] = divmod(nanoseconds(), 10**9)
    return 0


_CLOCK = (
    ctypes.CDLL(None).clock_gettime
    if hasattr(time, "clock_gettime")
    else ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(_clock)
)
_CLOCK_ADDRESS: Final = cast("int", ctypes.cast(_CLOCK, ctypes.c_void_p).value)
