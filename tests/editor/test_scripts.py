"""Class names of scripts."""

from __future__ import annotations

import struct
from itertools import product

import pytest

from echidna_mcp_plugins.editor.unity.documents import Reference
from echidna_mcp_plugins.editor.unity.scripts import class_of

SCRIPT = 11500000
UI_ASSEMBLY = "f70555f144d8491a825f0804e09c671c"
OF_UI = (
    *("AspectRatioFitter", "Button", "CanvasScaler", "ContentSizeFitter", "Dropdown"),
    *("GraphicRaycaster", "GridLayoutGroup", "HorizontalLayoutGroup", "Image"),
    *("InputField", "LayoutElement", "Mask", "Outline", "RawImage", "RectMask2D"),
    *("ScrollRect", "Scrollbar", "Selectable", "Shadow", "Slider", "Text", "Toggle"),
    *("ToggleGroup", "VerticalLayoutGroup"),
)
OF_EVENTS = (
    *("EventSystem", "EventTrigger", "Physics2DRaycaster", "PhysicsRaycaster"),
    *("StandaloneInputModule", "TouchInputModule"),
)


def md4(message):
    """RFC 1320; OpenSSL no longer has it where hashlib could find it."""
    bits = 8 * len(message)
    message += b"\x80" + bytes((55 - len(message)) % 64) + struct.pack("<Q", bits)
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
    across = [*product(range(4), range(4))]
    rounds = (
        (lambda x, y, z: x & y | ~x & z, 0, range(16), (3, 7, 11, 19)),
        (
            lambda x, y, z: x & y | x & z | y & z,
            0x5A827999,
            [i + 4 * j for i, j in across],
            (3, 5, 9, 13),
        ),
        (
            lambda x, y, z: x ^ y ^ z,
            0x6ED9EBA1,
            [(0, 2, 1, 3)[i] + (0, 8, 4, 12)[j] for i, j in across],
            (3, 9, 11, 15),
        ),
    )
    for start in range(0, len(message), 64):
        words = struct.unpack_from("<16I", message, start)
        a, b, c, d = state
        for mix, constant, order, shifts in rounds:
            for step, index in enumerate(order):
                total = (a + mix(b, c, d) + words[index] + constant) & 0xFFFFFFFF
                shift = shifts[step % 4]
                turned = (total << shift | total >> 32 - shift) & 0xFFFFFFFF
                a, b, c, d = d, turned, b, c
        state = [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d), strict=True)]
    return struct.pack("<4I", *state)


def test_the_hash_of_this_test_is_md4():
    assert md4(b"").hex() == "31d6cfe0d16ae931b73c59d7e0c089c0"
    assert md4(b"message digest").hex() == "d9130a8164549fe818874806e1c7014b"


@pytest.mark.parametrize(
    ("space", "name"),
    [
        *(("UnityEngine.UI", name) for name in OF_UI),
        *(("UnityEngine.EventSystems", name) for name in OF_EVENTS),
    ],
)
def test_scripts_of_the_ui_assembly_have_ids_by_unitys_rule(space, name):
    (file_id,) = struct.unpack_from("<i", md4(b"s\0\0\0" + f"{space}{name}".encode()))
    assert class_of(Reference(file_id, UI_ASSEMBLY), "", "") == (name, "")


@pytest.mark.parametrize(
    ("guid", "identifier", "asset", "expected"),
    [
        ("1" * 32, "", "Assets/Scripts/Player.Move.cs", "Player.Move"),
        ("1" * 32, "Assembly-CSharp::Other", "Assets/Player.cs", "Player"),
        ("fe87c0e1cc204ed48ad3b37840f39efc", "", "", "Image"),
        # A project may carry a package of its own.
        ("fe87c0e1cc204ed48ad3b37840f39efc", "", "Packages/ui/Picture.cs", "Picture"),
        ("1" * 32, "Assembly-CSharp::Player", "", "Player"),
        ("1" * 32, "Assembly-CSharp::Game.Units.Player", "", "Player"),
        ("1" * 32, "Assembly-CSharp:Game.Units:Player", "", "Player"),
        ("1" * 32, "Tools::Tools.Gizmo", "Assets/Plugins/Tools.dll", "Gizmo"),
    ],
)
def test_a_script_is_called_by_file_table_or_identifier(
    guid, identifier, asset, expected
):
    assert class_of(Reference(SCRIPT, guid), identifier, asset) == (expected, "")


def test_a_script_that_can_not_be_told_has_a_reason():
    assert class_of(Reference(SCRIPT, "1" * 32), "", "") == (
        "",
        f"no script of the project has the guid {'1' * 32}",
    )
    assert class_of(Reference(-7, "1" * 32), "", "Assets/Plugins/Tools.dll") == (
        "",
        (
            "which of the scripts in Assets/Plugins/Tools.dll it is can't be told from "
            "files"
        ),
    )
