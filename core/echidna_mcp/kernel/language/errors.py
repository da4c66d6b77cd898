"""Errors of the compiler: code that it can't translate."""

from __future__ import annotations


class KernelError(TypeError):
    """Code is not in the kernel language.

    The message is "path:line: sentence", where the sentence says what to do. A mistake
    of whoever writes kernel code, so no user ever sees it.
    """

    def __init__(self, path: str, line: int, sentence: str) -> None:
        super().__init__(f"{path}:{line}: {sentence}")
        self.path = path
        self.line = line
