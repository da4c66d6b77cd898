"""wallycore, so that Python can end with it.

Its module, by SWIG, makes an object of a type that is gone when Python lets go of the
module, which is a segmentation fault at the very end. So it is kept for good.
"""

from __future__ import annotations

import ctypes
import sys

import wallycore  # type: ignore[import-untyped]

_RUNTIME = next(
    module
    for name, module in sys.modules.items()
    if name.startswith("swig_runtime_data") and hasattr(module, "type_pointer_capsule")
)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_RUNTIME.type_pointer_capsule))

__all__ = ["wallycore"]
