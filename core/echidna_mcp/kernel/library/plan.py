"""Plans: the parts of a library, and the key under which it is kept.

The key has to be found without translating anything: a start from the cache must not
pay for the compiler. So it covers the sources of all modules that can take part, and
the values of their constants.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

from echidna_mcp import kernel
from echidna_mcp.kernel.compiler.source import is_kernel_function, name_of
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.types import is_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A library before it is built.

    Attributes:
        functions: kernel functions that Python calls.
        build: adds or implements more in raw IR; called before any function is
            required.
        inputs: modules on which `build` depends, besides its own and all that the
            functions reach. A package stands for every module below it.
        parameters: anything else on which `build` depends.
        shared: whether objects that are added later call its functions; those that are
            not inlined can then be found by name.
        parts: how many objects it is built as, at the same time; if there are several,
            globals in raw IR must be internal constants.
    """

    functions: tuple[FunctionType, ...]
    build: Callable[[Unit], None] | None = None
    inputs: tuple[ModuleType, ...] = ()
    parameters: str = ""
    shared: bool = False
    parts: int = 1

    def key(self, *more: str) -> str:
        """Return a hash of everything that goes into the library.

        Args:
            more: what else does: options, versions, processor.
        """
        state = hashlib.sha256()

        def add(*parts: str) -> None:
            for part in parts:
                data = part.encode()
                state.update(len(data).to_bytes(8, "little"))
                state.update(data)

        add(
            *more,
            self.parameters,
            f"{self.shared} {self.parts}",
            *(name_of(each) for each in self.functions),
        )
        for module in self._modules():
            add(module.__name__, _text(module), *_constants(module))
        for folder in self._folders():
            for path in sorted(folder.rglob("*.py")):
                add(path.relative_to(folder).as_posix(), path.read_text("utf-8"))
        return state.hexdigest()

    def _modules(self) -> list[ModuleType]:
        """Return the modules of all functions and records that can take part."""
        functions = (*self.functions, *([self.build] if self.build else []))
        waiting = [sys.modules[each.__module__] for each in functions]
        waiting += self.inputs
        found: dict[str, ModuleType] = {}
        while waiting:
            module = waiting.pop()
            if module.__name__ not in found:
                found[module.__name__] = module
                waiting += _neighbours(module)
        return [found[name] for name in sorted(found)]

    def _folders(self) -> list[Path]:
        """Return folders of which every module counts, however deep: see `inputs`."""
        packages = [each for each in self.inputs if hasattr(each, "__path__")]
        return [Path(inspect.getfile(each)).parent for each in (kernel, *packages)]


def _neighbours(module: ModuleType) -> Iterator[ModuleType]:
    """Yield where the kernel functions and records come from that a module knows."""
    for value in vars(module).values():
        if is_kernel_function(value) or (isinstance(value, type) and is_record(value)):
            name = value.__module__
            if name != module.__name__ and name in sys.modules:
                yield sys.modules[name]


def _text(module: ModuleType) -> str:
    try:
        return inspect.getsource(module)
    except (OSError, TypeError):  # made at run time; its functions' code will do
        codes = [v.__code__ for v in vars(module).values() if inspect.isfunction(v)]
        return repr([(c.co_name, c.co_code, c.co_consts) for c in codes])


def _constants(module: ModuleType) -> Iterator[str]:
    """Yield constants with their values, wherever they were imported from."""
    for name, value in sorted(vars(module).items()):
        if name.isupper() and isinstance(value, int | tuple):
            yield f"{name}={value}"
