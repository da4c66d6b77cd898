"""What is not in the language is refused, with file, line and what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kernel_modules import HEADER, HEADER_LINES, functions_of, module_of

from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language import errors
from echidna_mcp.kernel.language.errors import KernelError

PRELUDE = """\
SMALL = 3
TABLE = (1, 2, 3)
MIXED = (1, "a")
lower = 4
@record
class Box:
    count: u64
    wide: u256
    data: Bytes
    host: Callable[[u64], u64]
def helper(a: u64) -> u64:
    return a
def quiet(data: Bytes) -> None:
    pass
def f(a: u64, w: u256, t: u8, data: Bytes, row: Words, box: Box) -> u64:
"""
FIRST = HEADER_LINES + PRELUDE.count("\n") + 1
"""Line of a body's first statement."""

BODIES = [
    # Types.
    ("return w", "u64 is wanted here, not u256"),
    ("return data", "u64 is wanted here, not Bytes"),
    ("return 1 << 64", "18446744073709551616 does not fit u64; wrap it with wrap64"),
    ("return SMALL - 4", "-1 does not fit u64"),
    ("return a + w", "u64 meets u256: convert one with wrap256(...)"),
    ("return a + data", "operators take integers"),
    ("return wrap64(box)", "wrap64 takes an integer, not Box"),
    ("return a << w", "A shift amount is u64, not u256"),
    ("return a << 64", "A shift by 64 is out of range"),
    ("return 1 << (0 - 1)", "A shift by -1 is out of range"),
    ("return t >> 8", "A shift by 8 is out of range of u8"),
    ("return wrap64(t + 256)", "256 does not fit u8"),
    ("return a // 0", "The divisor is always 0"),
    ("return 5 % (SMALL - 3)", "The divisor is always 0"),
    ("return a / 2", "This operator is not in the language"),
    ("return a ** 2", "This operator is not in the language"),
    ("x = 0\n    x = w", "x is u64 since its first assignment"),
    ("x = data\n    x = row", "x is Bytes since its first assignment"),
    ("a = w", "a is u64 since its first assignment"),
    # Expressions.
    ("return -a", "There is no unary operator"),
    ("return ~a", "There is no unary operator"),
    ("return 'a'", "'a' is no integer"),
    ("return 1.5", "1.5 is no integer"),
    ("return True", "True is no integer"),
    ("return a if a > 1 else 2", "use an if statement"),
    ("return a > 1", "A comparison is no value"),
    ("return (a, a)", "There are no tuples"),
    ("return [a]", "There are no lists"),
    ("return {a: a}", "Dict is not in the language"),
    ("return data[0:2]", "There are no slices"),
    ("return data[w]", "u64 is wanted here, not u256"),
    ("return a[0]", "u64 has no elements"),
    ("return a.count", "u64 has no field count"),
    ("return box.size", "Box has no field size"),
    ("return box.host", "host can only be called"),
    ("return lower", "lower: constants are written in upper case"),
    ("return unknown", "unknown is neither a variable nor a constant"),
    ("return helper", "helper is neither a variable nor a constant"),
    ("return TABLE", "TABLE is a table; only index it"),
    ("return TABLE[3]", "TABLE has no element 3, only 3"),
    ("return MIXED[0]", "MIXED: a table has an upper-case name"),
    # Variables.
    ("return x", "x is neither a variable nor a constant"),
    ("if a > 1:\n        x = 1\n    return x", "x may have no value here"),
    ("while a > 1:\n        x = 1\n    return x", "x may have no value here"),
    ("for i in range(a):\n        x = 1\n    return x", "x may have no value here"),
    ("for i in range(a):\n        pass\n    return i", "i may have no value here"),
    ("for _ in range(a):\n        return _", "_ may have no value here"),
    (
        "while True:\n        if a > 1: break\n        x = 1\n        break\n    a = x",
        "x may have no value here",
    ),
    # Statements.
    ("x: u64 = 1", "A variable takes the type of its first value"),
    ("a += 1", "There is no `x += y`"),
    ("x, y = a, a", "Assign to a variable, an element or a field"),
    ("x = y = a", "Assign is not in the language"),
    ("x = quiet(data)", "This call returns nothing"),
    ("a", "A statement by itself must be a call"),
    ("assert a", "There is no assert"),
    ("raise ValueError", "There are no exceptions"),
    ("try:\n        return a\n    finally:\n        a = 1", "no exceptions"),
    ("with box:\n        return a", "With is not in the language"),
    ("def g() -> u64:\n        return 1", "no functions inside of functions"),
    ("import os", "Import is not in the language"),
    ("del a", "Delete is not in the language"),
    ("return", "Return a u64"),
    ("pass", "f may end without a return"),
    ("if a > 1:\n        return 1", "f may end without a return"),
    ("while a > 1:\n        return 1", "f may end without a return"),
    ("while True:\n        break", "f may end without a return"),
    ("box.data = data", "data is fixed while compiled code runs"),
    ("box.count = w", "u64 is wanted here, not u256"),
    ("box.count = 0 - 1", "-1 does not fit u64"),
    ("data[0] = 256", "256 does not fit 8 bits"),
    ("data[0] = w", "u64 is wanted here, not u256"),
    ("TABLE[0] = 1", "TABLE is a table"),
    ("store32(data, 0, 1 << 32)", "4294967296 does not fit 32 bits"),
    # Conditions.
    ("if a:\n        return 1", "A condition compares integers; write x != 0"),
    ("if not a:\n        return 1", "A condition compares integers"),
    ("if a < 1 < 2:\n        return 1", "Comparisons are not chained"),
    ("if a is w:\n        return 1", "Compare with =="),
    ("if a in TABLE:\n        return 1", "TABLE is a table"),
    ("if a == w:\n        return 1", "u64 meets u256"),
    ("if data == data:\n        return 1", "only integers can be compared"),
    # Loops.
    ("for i in row:\n        return i", "Write `for i in range(a, b)`"),
    ("for i in range(0, a, 2):\n        return i", "Write `for i in range(a, b)`"),
    ("for i in range(w):\n        return i", "u64 is wanted here, not u256"),
    ("for i in range(a):\n        i = 3", "i counts the loop"),
    (
        "for i in range(a):\n        for i in range(3):\n            pass",
        "i counts an outer loop",
    ),
    ("for i in unroll(a):\n        return i", "unroll takes a constant"),
    ("for i in unroll(5000):\n        return i", "unroll takes a constant"),
    ("for i in range(a):\n        pass\n    else:\n        a = 1", "no else"),
    ("while a > 1:\n        pass\n    else:\n        a = 1", "no else"),
    ("x = unroll(3)", "unroll(n) is for `for i in unroll(n)`"),
    # Calls.
    ("return helper(a, a)", "helper takes 1 arguments, not 2"),
    ("return helper(a=a)", "Arguments are given by position"),
    ("return helper(*a)", "Arguments are given by position"),
    ("return helper(w)", "u64 is wanted here, not u256"),
    ("quiet(row)", "Bytes is wanted here, not Words"),
    ("quiet(1)", "Bytes is wanted here, not the number 1"),
    ("return wrap64(a, a)", "wrap64 takes one argument"),
    ("return int(a)", "int is no function of a kernel module"),
    ("return min(a, 3)", "min is no function of a kernel module"),
    ("x = words(a)", "words is no function of a kernel module"),
    ("return a.bit_length()", "u64 has no field bit_length"),
    ("return box.count(a)", "count is no Callable[[u64], u64]"),
    ("return box.host(a, a)", "host takes 1 arguments, not 2"),
    ("return (lambda: a)()", "Call a function of a module by its name"),
    ("return len(data)", "len() takes a buffer that is a field of a record"),
    ("return len(a)", "len() takes a buffer"),
    # Local buffers.
    ("x = local_words(a)", "A local buffer has a constant size"),
    ("x = local_words(0)", "A local buffer has a constant size"),
    ("for i in range(a):\n        x = local_words(2)", "make it before the loop"),
    ("x = local_words(2)\n    return x[2]", "2 is outside of a buffer of 2"),
    ("x = local_bytes(7)\n    return load64(x, 0)", "0 is outside of a buffer of 7"),
]


def compile_all(folder: Path, text: str, *, checked: bool = False) -> Any:
    module = module_of(folder, text)
    unit = Unit(checked=checked)
    for function in functions_of(module):
        unit.export(function)
    return module


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(("body", "message"), BODIES)
def test_a_function_is_refused(tmp_path: Path, body: str, message: str, checked: bool):
    with pytest.raises(KernelError, match=re.escape(message)) as caught:
        compile_all(tmp_path, f"{PRELUDE}    {body}\n", checked=checked)
    assert caught.value.path.startswith(str(tmp_path))
    assert FIRST - 1 <= caught.value.line < FIRST + 1 + body.count("\n")
    assert str(caught.value).startswith(f"{caught.value.path}:{caught.value.line}: ")
    assert str(caught.value).endswith(".")


def test_the_line_is_that_of_the_mistake(tmp_path: Path):
    with pytest.raises(KernelError) as caught:
        compile_all(tmp_path, f"{PRELUDE}    x = 1\n    y = 2\n    return w + x * y\n")
    assert caught.value.line == FIRST + 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(a) -> u64:\n    return a\n", "parameter a must have an annotation"),
        ("def f(a: int) -> u64:\n    return a\n", "a has the type int; use one of"),
        ("def f(a: u64):\n    return a\n", "the result must have an annotation"),
        ("def f(a: u64) -> bool:\n    return a\n", "the result has the type bool"),
        ("def f(a: Bytes) -> Bytes:\n    return a\n", "must be an integer or None"),
        ("def f(a: u64 = 1) -> u64:\n    return a\n", "must have no default"),
        ("def f(*a: u64) -> u64:\n    return 1\n", "must have plain parameters"),
        ("def f(*, a: u64) -> u64:\n    return 1\n", "must have plain parameters"),
        (
            "def f(a: Callable[[u64], u64]) -> u64:\n    return a(1)\n",
            "a has the type Callable[[u64], u64]",
        ),
    ],
)
def test_a_signature_is_refused(tmp_path: Path, text: str, message: str):
    module = module_of(tmp_path, text)
    with pytest.raises(KernelError, match=re.escape(message)) as caught:
        Unit().require(module.f)
    assert caught.value.line == HEADER_LINES + 1


def test_annotations_must_be_text(tmp_path: Path):
    module = module_of(tmp_path, "")
    path = tmp_path / "eager.py"
    text = "".join(HEADER.splitlines(keepends=True)[1:])
    path.write_text(text + "def f(a: u64) -> u64:\n    return a\n")
    namespace = dict(vars(module))
    code = compile(path.read_text(), str(path), "exec", dont_inherit=True)
    exec(code, namespace)
    with pytest.raises(KernelError, match="from __future__ import annotations"):
        Unit().require(namespace["f"])


def test_a_function_without_source_is_refused():
    namespace: dict[str, Any] = {}
    code = "from __future__ import annotations\ndef f(a: u64) -> u64: return a"
    exec(compile(code, "<nowhere>", "exec"), namespace)
    with pytest.raises(KernelError, match="needs its source text"):
        Unit().require(namespace["f"])


def test_mistakes_in_called_functions_are_found(tmp_path: Path):
    text = (
        "def g(a: u64) -> u64:\n    return b\ndef f(a: u64) -> u64:\n    return g(a)\n"
    )
    module = module_of(tmp_path, text)
    with pytest.raises(KernelError) as caught:
        Unit().require(module.f)
    assert caught.value.line == HEADER_LINES + 2


def test_a_kernel_error_is_a_type_error():
    assert issubclass(errors.KernelError, TypeError)
