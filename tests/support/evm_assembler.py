"""A tiny EVM assembler."""

from __future__ import annotations

from eth.vm import opcode_values

OPCODES = {
    name: value
    for name, value in vars(opcode_values).items()
    if name.isupper() and isinstance(value, int)
}
OPCODES["INVALID"] = 0xFE


def push(word: int) -> bytes:
    """Return the shortest PUSH of `word`."""
    data = word.to_bytes((word.bit_length() + 7) // 8, "big")
    return bytes([OPCODES["PUSH0"] + len(data)]) + data


def assemble(*items: str | int | bytes) -> bytes:
    """Return bytecode.

    An item is a line of mnemonics, a number (pushed), or raw bytes. In a line, `name:`
    is a JUMPDEST and `@name` pushes its position; hexadecimal numbers are pushed.
    """
    code = b""
    labels: dict[str, int] = {}
    uses: dict[int, str] = {}
    words = [
        word
        for item in items
        for word in (item.split() if isinstance(item, str) else [item])
    ]
    for word in words:
        if isinstance(word, bytes):
            code += word
        elif isinstance(word, int):
            code += push(word)
        elif word.endswith(":"):
            labels[word[:-1]] = len(code)
            code += bytes([OPCODES["JUMPDEST"]])
        elif word.startswith("@"):
            uses[len(code) + 1] = word[1:]
            code += bytes([OPCODES["PUSH2"], 0, 0])
        elif word.startswith("0x"):
            code += push(int(word, 16))
        else:
            code += bytes([OPCODES[word]])
    for at, name in uses.items():
        code = code[:at] + labels[name].to_bytes(2, "big") + code[at + 2 :]
    return code


def creation_code(runtime: bytes) -> bytes:
    """Return init code that deploys `runtime`."""
    size = len(runtime).to_bytes(2, "big")
    # PUSH2 size DUP1 PUSH1 10 PUSH0 CODECOPY PUSH0 RETURN, with two bytes to spare
    return b"\x61" + size + bytes.fromhex("80600a5f395ff3") + runtime
