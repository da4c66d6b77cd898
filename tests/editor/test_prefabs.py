"""Prefab instances: nested, overridden, varied, broken.

Expected ids follow from one rule: an object of an instance has the id of the instance
xor its own, at each level of nesting. Instances here are multiples of 2^16, so that the
lower bits stay those of the object.
"""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.editor.unity import assembly
from echidna_mcp_plugins.editor.unity.objects import nested_id

PREFABS = "Assets/Scenes/Prefabs.unity"
HEAD = "--- !u!1001 &{}\nPrefabInstance:\n  m_Modification:\n"


def outline(nodes):
    return [
        (
            each["name"],
            each["instanceId"],
            each["components"],
            outline(each["children"]),
        )
        for each in nodes
    ]


def nested(*numbers, low):
    """The id of an object below instances, each given as a multiple of 2^16."""
    high = 0
    for number in numbers:
        high ^= number
    return (high << 16) + low


def test_instances_are_expanded_with_all_that_differs_from_their_prefabs(orchard):
    found = orchard.hierarchy(PREFABS)
    apple = [
        ("Nest", nested(4000, low=710), ["Transform"], []),
        ("Stem", nested(4000, 3000, 1000, low=110), ["Transform"], []),
    ]
    tree = [
        (
            "Apple",
            nested(4000, 3000, 1000, low=100),
            ["Transform", "SpriteRenderer", "Fruit"],
            apple,
        ),
        ("Bird", nested(4000, 3000, low=210), ["Transform"], []),
    ]
    assert outline(found["rootObjects"]) == [
        (
            "Outer",
            nested(7000, low=100),
            ["Transform"],
            [("Inner", nested(7000, 8000, low=0), ["Transform"], [])],
        ),
        (
            "Orchard",
            500,
            ["Transform"],
            [
                (
                    "Tree A",
                    nested(4000, 3000, low=200),
                    ["Transform", "BoxCollider", "MeshFilter"],
                    tree,
                )
            ],
        ),
        (
            "Hero",
            nested(5000, low=0),
            ["Transform", "Animator"],
            [("Hat", 600, ["Transform"], []), ("Sword", 610, ["Transform"], [])],
        ),
        ("Missing Prefab", nested(6000, low=0), ["Transform"], []),
        ("Orphan", 620, ["Transform"], []),
    ]


def test_what_can_not_be_expanded_is_told(orchard):
    assert orchard.hierarchy(PREFABS)["diagnostics"] == [
        (
            f"{PREFABS}: the prefab instance &262144000 of "
            "Assets/Prefabs/OldTree.prefab has overrides without effect, since the "
            "prefab does not have their objects: 1."
        ),
        (
            f"{PREFABS}: of the prefab instance &327680000, 'Hero', only the root is "
            "shown, since Assets/Models/Hero.fbx is a model, which is not kept as text."
        ),
        (
            f"{PREFABS}: of the prefab instance &393216000, 'Missing Prefab', only the "
            "root is shown, since no asset of the project has its prefab's guid."
        ),
        (
            "Assets/Prefabs/Endless.prefab: of the prefab instance &524288000, "
            "'Inner', only the root is shown, since Assets/Prefabs/Endless.prefab "
            "would contain itself."
        ),
        (
            f"{PREFABS}: what was added to &605 within 'Hero' is shown at the root of "
            "'Hero', since its place is not known."
        ),
        (
            f"{PREFABS}: 'Orphan' hangs below &8888, which is not known, and is shown "
            "as a root."
        ),
    ]


def test_paths_of_instances_go_through_their_new_names(orchard):
    found = orchard.find_objects(PREFABS, name_pattern="Stem")
    assert [each["path"] for each in found["matches"]] == ["Orchard/Tree A/Apple/Stem"]


def test_tags_layers_and_activity_are_overridden(orchard):
    found = {
        each["name"]: (each["tag"], each["layer"], each["active"])
        for each in orchard.find_objects(PREFABS)["matches"]
    }
    assert found["Tree A"] == ("Harvest", "Default", True)
    assert found["Nest"] == ("Untagged", "Fruit", True)
    assert found["Hero"] == ("Player", "Default", True)


def test_inactive_roots_of_instances_are_inactive(workshop):
    guid = "a" * 32
    workshop.asset("Assets/P.prefab", plain(100, "P"), guid)
    workshop.asset(
        "Assets/A.unity",
        instance(1 << 16, guid, change(100, guid, "m_IsActive", "0")),
    )
    (found,) = workshop.open().find_objects("Assets/A.unity")["matches"]
    assert (found["name"], found["active"]) == ("P", False)


def plain(file_id, name, father=0):
    return (
        f"--- !u!1 &{file_id}\nGameObject:\n  m_Component:\n"
        f"  - component: {{fileID: {file_id + 1}}}\n  m_Name: {name}\n"
        f"--- !u!4 &{file_id + 1}\nTransform:\n  m_GameObject: {{fileID: {file_id}}}\n"
        f"  m_Father: {{fileID: {father}}}\n"
    )


def change(target, guid, path, value):
    return (
        f"    - target: {{fileID: {target}, guid: {guid}, type: 3}}\n"
        f"      propertyPath: {path}\n      value: {value}\n"
        "      objectReference: {fileID: 0}\n"
    )


def instance(file_id, guid, changes="", parent=0, more=""):
    listed = f"\n{changes}" if changes else " []\n"
    return (
        f"{HEAD.format(file_id)}    m_TransformParent: {{fileID: {parent}}}\n"
        f"    m_Modifications:{listed}{more}"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n"
    )


def stripped(file_id, source, guid, of):
    return (
        f"--- !u!4 &{file_id} stripped\nTransform:\n"
        f"  m_CorrespondingSourceObject: {{fileID: {source}, guid: {guid}, type: 3}}\n"
        f"  m_PrefabInstance: {{fileID: {of}}}\n"
    )


def test_two_instances_of_a_prefab_share_no_id(workshop):
    guid = "b" * 32
    workshop.asset(
        "Assets/P.prefab", plain(100, "P") + plain(110, "Q", father=101), guid
    )
    workshop.asset("Assets/A.unity", instance(1 << 16, guid) + instance(2 << 16, guid))
    found = workshop.open().hierarchy("Assets/A.unity")
    assert outline(found["rootObjects"]) == [
        (
            "P",
            nested(n, low=100),
            ["Transform"],
            [("Q", nested(n, low=110), ["Transform"], [])],
        )
        for n in (1, 2)
    ]


def test_what_was_added_below_a_removed_object_is_not_lost(workshop):
    guid = "c" * 32
    workshop.asset(
        "Assets/P.prefab",
        plain(100, "P") + plain(110, "Q", father=101) + plain(120, "R", father=111),
        guid,
    )
    removed = (
        f"    m_RemovedGameObjects:\n    - {{fileID: 110, guid: {guid}, type: 3}}\n"
    )
    workshop.asset(
        "Assets/A.unity",
        instance(1 << 16, guid, more=removed)
        + stripped(7, 121, guid, 1 << 16)
        + plain(20, "One", father=7)
        + plain(30, "Two", father=7),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert [each["name"] for each in found["rootObjects"]] == ["P", "One", "Two"]
    assert found["rootObjects"][0]["children"] == []
    assert found["diagnostics"] == [
        f"Assets/A.unity: {name!r} hangs below an object that its prefab instance "
        "removes, and is shown as a root."
        for name in ("One", "Two")
    ]


@pytest.mark.parametrize("exists", [True, False])
def test_the_root_of_an_instance_can_not_be_removed(workshop, exists):
    guid = "e" * 32
    if exists:
        workshop.asset("Assets/P.prefab", plain(100, "P"), guid)
    gone = f"    - {{fileID: 100, guid: {guid}, type: 3}}\n"
    workshop.asset(
        "Assets/A.unity",
        instance(
            1 << 16,
            guid,
            change(100, guid, "m_Name", "Here"),
            more=f"    m_RemovedGameObjects:\n{gone}",
        ),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert [each["name"] for each in found["rootObjects"]] == ["Here"]
    assert len(found["diagnostics"]) == 1


def test_added_children_are_inserted_where_the_instance_says(workshop):
    guid = "d" * 32
    workshop.asset(
        "Assets/P.prefab",
        plain(100, "P") + plain(110, "A", father=101) + plain(120, "B", father=101),
        guid,
    )
    added = "    m_AddedGameObjects:\n" + "".join(
        f"    - targetCorrespondingSourceObject: {{fileID: 101, guid: {guid}, type: 3}}"
        f"\n      insertIndex: {index}\n      addedObject: {{fileID: {file_id}}}\n"
        for file_id, index in ((21, 2), (31, -1), (41, 0))
    )
    workshop.asset(
        "Assets/A.unity",
        instance(1 << 16, guid, more=added)
        + stripped(7, 101, guid, 1 << 16)
        + plain(20, "At 2", father=7)
        + plain(30, "Last", father=7)
        + plain(40, "At 0", father=7),
    )
    (root,) = workshop.open().hierarchy("Assets/A.unity")["rootObjects"]
    assert [each["name"] for each in root["children"]] == [
        *("At 0", "A", "At 2", "B", "Last")
    ]


def test_a_prefab_whose_file_is_gone_or_binary_or_empty_becomes_one_object(workshop):
    guids = ["1" * 32, "2" * 32, "3" * 32]
    workshop.write("Assets/Binary.prefab", b"\0\1\2", guids[1])
    workshop.asset("Assets/Empty.prefab", "", guids[2])
    workshop.asset(
        "Assets/A.unity",
        "".join(
            instance(n << 16, guid, change(5, guid, "m_Name", f"Named {n}"))
            for n, guid in enumerate(guids, 1)
        ),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert outline(found["rootObjects"]) == [
        (f"Named {n}", n << 16, ["Transform"], []) for n in (1, 2, 3)
    ]
    reasons = [told.partition("since ")[2] for told in found["diagnostics"]]
    assert reasons[0] == "no asset of the project has its prefab's guid."
    assert reasons[1].startswith("Assets/Binary.prefab is binary")
    assert reasons[2] == "Assets/Empty.prefab holds no GameObject."


def test_a_variant_of_a_model_takes_overrides_and_what_is_added_within_it(workshop):
    model, variant = "4" * 32, "5" * 32
    root, transform, bone = 919132149155446097, -8679921383154817045, 77
    workshop.write("Assets/M.fbx", b"\0", model)
    workshop.asset(
        "Assets/V.prefab",
        instance(
            1 << 16,
            model,
            change(transform, model, "m_LocalPosition.x", "1")
            + change(root, model, "m_Name", "V"),
        ),
        variant,
    )
    outer = 2 << 16
    mask = 2**63 - 1
    workshop.asset(
        "Assets/A.unity",
        instance(
            outer,
            variant,
            change((root ^ 1 << 16) & mask, variant, "m_Name", "Hero")
            + change((transform ^ 1 << 16) & mask, variant, "m_RootOrder", "1")
            + change(bone ^ 1 << 16, variant, "m_LocalPosition.x", "3"),
        )
        + stripped(7, bone ^ 1 << 16, variant, outer)
        + plain(20, "Sword", father=7)
        + plain(30, "First"),
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert outline(found["rootObjects"]) == [
        ("First", 30, ["Transform"], []),
        (
            "Hero",
            nested(1, 2, low=0),
            ["Transform"],
            [("Sword", 20, ["Transform"], [])],
        ),
    ]
    assert found["diagnostics"] == [
        (
            "Assets/V.prefab: of the prefab instance &65536, 'V', only the root is "
            "shown, since Assets/M.fbx is a model, which is not kept as text."
        ),
        (
            "Assets/A.unity: what was added to &7 within 'Hero' is shown at the root "
            "of 'Hero', since its place is not known."
        ),
    ]


@pytest.mark.parametrize(
    ("instance_id", "root", "transform"),
    [
        (4111861353414062197, 3877931110015683876, 4511196569707190174),
        (1257798920244635678, 2140881792901584207, 1656796937265893365),
    ],
)
def test_ids_within_instances_are_those_that_unity_writes(instance_id, root, transform):
    """Of two variants of models in Unity's Open Project 1."""
    assert nested_id(instance_id, 919132149155446097) == root
    assert nested_id(instance_id, -8679921383154817045) == transform


def test_nesting_is_followed_to_a_bound(workshop):
    for level in range(20):
        guid, inner = f"{level:032x}", f"{level + 1:032x}"
        workshop.asset(
            f"Assets/P{level}.prefab",
            plain(100, f"P{level}") + instance((level + 1) << 16, inner, parent=101),
            guid,
        )
    workshop.asset("Assets/A.unity", instance(1 << 40, f"{0:032x}"))
    found = workshop.open().hierarchy("Assets/A.unity")
    depth = 0
    nodes = found["rootObjects"]
    while nodes:
        depth += 1
        nodes = nodes[0]["children"]
    assert depth == 17  # sixteen prefabs, and what stands for the next
    (told,) = found["diagnostics"]
    assert told.endswith("since prefabs are nested more than 16 deep.")


def test_prefabs_that_multiply_are_bounded(workshop, monkeypatch):
    monkeypatch.setattr(assembly, "_MOST_OBJECTS", 2_000)  # what takes milliseconds
    # Ten instances at each of twelve levels would be a trillion objects.
    for level in range(12):
        inner = "".join(
            instance((n + 1) << 16, f"{level + 1:032x}", parent=101) for n in range(10)
        )
        workshop.asset(
            f"Assets/P{level}.prefab", plain(100, "P") + inner, f"{level:032x}"
        )
    workshop.asset("Assets/P12.prefab", plain(100, "Leaf"), f"{12:032x}")
    workshop.asset("Assets/A.unity", instance(1 << 40, f"{0:032x}"))
    found = workshop.open().find_objects("Assets/A.unity", name_pattern="Leaf")
    assert 0 < len(found["matches"]) < 2_000
    assert any("bring more than 2000 objects" in told for told in found["diagnostics"])
