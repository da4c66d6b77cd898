"""scene.hierarchy.dump on scenes without prefabs."""

from __future__ import annotations

import json

MAIN = "Assets/Scenes/Main.unity"


def node(path, instance_id, components, *children, name=None):
    return {
        "name": name or path.rpartition("/")[2],
        "path": path,
        "instanceId": instance_id,
        "components": components,
        "children": [*children],
    }


def game_object(file_id, name, father=0, children=(), more=""):
    """A GameObject and its Transform, whose file id is one higher."""
    listed = "".join(f"\n  - {{fileID: {each}}}" for each in children) or " []"
    return (
        f"--- !u!1 &{file_id}\nGameObject:\n  m_Component:\n"
        f"  - component: {{fileID: {file_id + 1}}}\n  m_Name: {name}\n"
        f"--- !u!4 &{file_id + 1}\nTransform:\n  m_GameObject: {{fileID: {file_id}}}\n"
        f"  m_Children:{listed}\n  m_Father: {{fileID: {father}}}\n{more}"
    )


def names(nodes):
    return [(each["name"], names(each["children"])) for each in nodes]


def test_a_scene_is_dumped_in_the_order_of_its_roots_and_children(orchard):
    # -5 as 64 bits is 2^64 - 5; its upper 11 bits, all ones, xor its lower 53 bits
    # give 2^53 - 5 - 2^11 + 1 + 8, since the lowest three bits are 011.
    negative = 2**53 - 2**11 + 4
    assert orchard.hierarchy(MAIN) == {
        "scenePath": MAIN,
        "rootObjects": [
            node(
                "Canvas",
                300,
                ["RectTransform", "Canvas", "CanvasScaler"],
                node("Canvas/Button", 320, ["RectTransform"]),
                node(
                    "Canvas/Button",
                    310,
                    ["RectTransform", "Button"],
                    node(
                        "Canvas/Button/Label",
                        330,
                        ["RectTransform", "TextMeshProUGUI"],
                    ),
                ),
            ),
            node(
                "Player",
                200,
                ["Transform", "Missing Script", "MonoBehaviour", "Missing Script"],
                node("Player/1", 210, ["Transform", "Marker"]),
                node("Player/=yes", negative, ["Transform"]),
            ),
            node("Main Camera", 100, ["Transform", "Camera", "CameraRig"]),
        ],
        "diagnostics": [
            (
                "A script of 'Player' is shown as MonoBehaviour: no script of the "
                "project has the guid 0abc0000000000000000000000000097."
            )
        ],
    }


def test_scenes_of_unity_5_are_ordered_by_root_order_and_name_odd_classes(antique):
    crate = (1001 << 16) + 34466  # 65536000 xor 100002
    assert antique.hierarchy("Assets/Old.unity") == {
        "scenePath": "Assets/Old.unity",
        "rootObjects": [
            node("Score", 200, ["RectTransform", "Text", "MonoBehaviour"]),
            node(
                "Treasure",
                crate,
                ["Transform"],
                node("Treasure/Early", 430, ["Transform"]),
                node("Treasure/Late", 420, ["Transform"]),
            ),
            node("Camera", 100, ["Transform", "Camera", "GUILayer", "FlareLayer"]),
            node("Broken Off", 500, ["Transform"]),
        ],
        "diagnostics": [
            (
                "A script of 'Score' is shown as MonoBehaviour: no script of the "
                "project has the guid f70555f144d8491a825f0804e09c671c."
            )
        ],
    }


def test_an_answer_without_problems_has_no_diagnostics(orchard):
    assert orchard.hierarchy("Assets/Levels/Cave.unity") == {
        "scenePath": "Assets/Levels/Cave.unity",
        "rootObjects": [node("Bat", 100, ["Transform"])],
    }


def test_children_that_their_parent_does_not_list_follow_in_the_order_of_the_file(
    workshop,
):
    workshop.asset(
        "Assets/A.unity",
        game_object(10, "Parent", children=[31])
        + game_object(20, "Second", father=11)
        + game_object(30, "First", father=11)
        + game_object(40, "Third", father=11),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert names(found["rootObjects"]) == [
        ("Parent", [("First", []), ("Second", []), ("Third", [])])
    ]


def test_a_circle_of_parents_is_cut_and_told(workshop):
    workshop.asset(
        "Assets/A.unity",
        game_object(10, "Tail", father=21)
        + game_object(20, "One", father=31)
        + game_object(30, "Two", father=21)
        + game_object(40, "Self", father=41),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert names(found["rootObjects"]) == [
        ("One", [("Tail", []), ("Two", [])]),
        ("Self", []),
    ]
    assert found["diagnostics"] == [
        "Assets/A.unity: 'One' hangs below itself, and is shown as a root.",
        "Assets/A.unity: 'Self' hangs below itself, and is shown as a root.",
    ]


def test_more_than_two_hundred_levels_are_cut_and_told(workshop):
    ids = range(10, 10 + 250 * 10, 10)
    workshop.asset(
        "Assets/A.unity",
        "".join(game_object(n, f"N{n}", father=n - 9 if n > 10 else 0) for n in ids),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    depth = 0
    nodes = found["rootObjects"]
    while nodes:
        depth += 1
        nodes = nodes[0]["children"]
    assert depth == 200
    (told,) = found["diagnostics"]
    assert "deeper than 200 levels" in told
    json.dumps(found)


def test_an_object_listed_twice_is_shown_once(workshop):
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1 &10\nGameObject:\n  m_Component:\n  - component: {fileID: 11}\n"
        "  - component: {fileID: 11}\n  m_Name: A\n"
        "--- !u!4 &11\nTransform:\n  m_GameObject: {fileID: 10}\n"
        "--- !u!1 &10\nGameObject:\n  m_Name: Double\n",
    )
    assert workshop.open().hierarchy("Assets/A.unity") == {
        "scenePath": "Assets/A.unity",
        "rootObjects": [node("A", 10, ["Transform"])],
        "diagnostics": [
            "Assets/A.unity has two objects &10; the first is shown.",
            "Assets/A.unity: 'A' lists its component &11 twice.",
        ],
    }


def test_a_component_that_is_no_yaml_does_not_hide_the_scene(workshop):
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1 &10\nGameObject:\n  m_Component:\n  - component: {fileID: 11}\n"
        "  m_Name: A\n--- !u!20 &11\nCamera:\n  m_GameObject: {fileID: 10}\n  a: [\n",
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert found["rootObjects"] == [node("A", 10, ["Missing Script"])]
    (told,) = found["diagnostics"]
    assert told.startswith(
        "Assets/A.unity: the object &11 in line 8 is read as empty, since it is no YAML"
    )


def test_colliding_ids_are_moved_to_the_next_free_number(workshop):
    # 2^53 + 7 folds to 7 xor 1.
    workshop.asset("Assets/A.unity", game_object(6, "A") + game_object(2**53 + 7, "B"))
    found = workshop.open().hierarchy("Assets/A.unity")
    assert [each["instanceId"] for each in found["rootObjects"]] == [6, 7]


def test_names_stay_texts_and_control_characters_become_visible(workshop):
    workshop.asset(
        "Assets/A.unity",
        game_object(10, "0x10") + game_object(20, "~") + game_object(30, "a\x07b"),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert [each["name"] for each in found["rootObjects"]] == ["0x10", "~", "a\ufffdb"]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(workshop):
    text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n" + game_object(10, "A")
    workshop.write("Assets/A.unity", text)
    workshop.write(
        "Assets/B.unity", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    )
    project = workshop.open()
    found = project.hierarchy("Assets/A.unity")["rootObjects"]
    assert found == [node("A", 10, ["Transform"])]
    assert project.hierarchy("Assets/B.unity")["rootObjects"] == found
