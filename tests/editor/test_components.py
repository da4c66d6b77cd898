"""scene.components.list: which object, which fields, what overrides change."""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

MAIN = "Assets/Scenes/Main.unity"
PREFABS = "Assets/Scenes/Prefabs.unity"
MISSING = "0abc0000000000000000000000000098"


def fields(component):
    return {
        each["name"]: (each["type"], each["value"])
        for each in component["serializedFields"]
    }


def test_components_have_typed_fields_without_bookkeeping(orchard):
    found = orchard.components(MAIN, "Main Camera")
    assert found["gameObjectPath"] == "Main Camera"
    transform, camera, rig = found["components"]
    assert (transform["type"], transform["instanceId"]) == ("Transform", 101)
    assert fields(transform) == {
        "m_LocalRotation": ("object", {"x": 0, "y": 0, "z": 0, "w": 1}),
        "m_LocalPosition": ("object", {"x": 0, "y": 1.5, "z": -10}),
        "m_LocalScale": ("object", {"x": 1, "y": 1, "z": 1}),
        "m_ConstrainProportionsScale": ("integer", 0),
        "m_LocalEulerAnglesHint": ("object", {"x": 0, "y": 0, "z": 0}),
    }
    assert camera == {
        "type": "Camera",
        "instanceId": 102,
        "serializedFields": [{"name": "m_Enabled", "type": "integer", "value": 1}],
    }
    assert (rig["type"], rig["instanceId"]) == ("CameraRig", 104)
    assert fields(rig) == {
        "m_Enabled": ("integer", 1),
        "smoothing": ("number", 0.25),
        "epsilon": ("number", 1e-05),
        "mask": ("integer", 4294967295),
        "hash": ("string", "18446744073709551615"),  # beyond 2^53
        "code": ("string", "007"),
        "title": ("string", 'Look: "here"'),
        "motto": ("string", "café → 🍎"),
        "followed": (
            "reference",
            {"instanceId": 201, "path": "Player", "component": "Transform"},
        ),
        "avatar": ("reference", {"instanceId": 200, "path": "Player"}),
        "nobody": ("reference", None),
        "lost": ("reference", {"fileID": "4711"}),
        "bounds": ("reference", {"fileID": "1", "kind": "OcclusionCullingSettings"}),
        "sky": (
            "reference",
            {
                "asset": "Resources/unity_builtin_extra",
                "guid": "0000000000000000f000000000000000",
                "fileID": "10304",
            },
        ),
        "fruit": (
            "reference",
            {
                "asset": "Assets/Prefabs/Fruit.prefab",
                "guid": "0abc0000000000000000000000000010",
                "fileID": "100",
            },
        ),
        "gone": ("reference", {"guid": MISSING, "fileID": "2100000"}),
        "stops": ("array", [{"x": 0, "y": 1}, {"x": 2, "y": 3.5}]),
        "none": ("array", []),
        "limits": ("object", {"far": 100, "near": ""}),
    }
    assert found["diagnostics"] == [
        "lost of the CameraRig of 'Main Camera' refers to &4711, which is not there.",
        (
            "gone of the CameraRig of 'Main Camera' refers to an asset with the guid "
            f"{MISSING}, which the project does not have."
        ),
    ]


def test_fields_are_what_the_outermost_instance_makes_of_them(orchard):
    found = orchard.components(PREFABS, "Orchard/Tree A/Apple")
    transform, _, fruit = found["components"]
    assert fields(transform) == {
        "m_LocalPosition": ("object", {"x": 1, "y": 0, "z": 0})
    }
    # Fruit.prefab says 1, Tree.prefab 2, its variant 9, the scene 12.
    high = (4000 ^ 3000 ^ 1000) << 16
    assert fruit["instanceId"] == high + 103
    assert fields(fruit) == {
        "m_Enabled": ("integer", 1),
        "ripeness": ("integer", 12),
        "stem": (
            "reference",
            {
                "instanceId": high + 111,
                "path": "Orchard/Tree A/Apple/Stem",
                "component": "Transform",
            },
        ),
        "picker": (
            "reference",
            {"instanceId": 501, "path": "Orchard", "component": "Transform"},
        ),
        "seeds": ("array", [{"weight": 1}, {"weight": 5}]),
    }


def test_a_missing_script_has_no_fields_unless_unity_kept_them(orchard):
    found = orchard.components(MAIN, "Player")["components"]
    assert [(each["type"], fields(each)) for each in found] == [
        ("Transform", {}),
        ("Missing Script", {"speed": ("integer", 3)}),
        ("MonoBehaviour", {}),
        ("Missing Script", {}),
    ]


@pytest.mark.parametrize(
    ("path", "instance_id"),
    [
        ("Canvas/Button[0]", 321),
        ("Canvas/Button[1]", 311),
        ("Canvas[0]/Button[1]", 311),
        ("Canvas/Button/Label", 331),
        ("Canvas/Button[1]/Label[0]", 331),
        ("Player/=yes[0]", None),
    ],
)
def test_siblings_of_one_name_are_told_apart_by_index(orchard, path, instance_id):
    (transform, *_) = orchard.components(MAIN, path)["components"]
    assert instance_id is None or transform["instanceId"] == instance_id


def test_an_ambiguous_path_is_refused_with_the_choices(orchard):
    with pytest.raises(UnityProjectError) as refused:
        orchard.components(MAIN, "Canvas/Button")
    assert refused.value.kind == "validation"
    assert refused.value.message == (
        f"{MAIN} has 2 GameObjects 'Canvas/Button'; choose one of 'Canvas/Button[0]', "
        "'Canvas/Button[1]'."
    )


@pytest.mark.parametrize(
    "path", ["", "canvas", "Canvas/", "/Canvas", "Canvas/Button[2]", "Button"]
)
def test_an_unknown_path_is_refused(orchard, path):
    with pytest.raises(UnityProjectError) as refused:
        orchard.components(MAIN, path)
    assert refused.value.kind == "not_found"
    assert refused.value.message == (
        f"{MAIN} has no GameObject {path!r}; scene.hierarchy.dump lists the paths."
    )


def test_names_with_slashes_and_brackets_are_found_as_they_are(workshop):
    workshop.asset(
        "Assets/A.unity",
        "".join(
            f"--- !u!1 &{n}0\nGameObject:\n  m_Component:\n  - component: "
            f"{{fileID: {n}1}}\n  m_Name: {name}\n--- !u!4 &{n}1\nTransform:\n"
            f"  m_GameObject: {{fileID: {n}0}}\n"
            for n, name in enumerate(("a/b", "c[0]", "c", "''"), 1)
        ),
    )
    project = workshop.open()
    ids = [
        project.components("Assets/A.unity", path)["components"][0]["instanceId"]
        for path in ("a/b", "c[0]", "c", "[0]")
    ]
    assert ids == [11, 21, 31, 41]


def override(path, value, reference=0):
    return (
        f"    - target: {{fileID: 102, guid: {'e' * 32}, type: 3}}\n"
        f"      propertyPath: {path}\n      value: {value}\n"
        f"      objectReference: {{fileID: {reference}}}\n"
    )


def overridden(workshop, *changes):
    """What fields of a component become, and what is told."""
    workshop.asset(
        "Assets/P.prefab",
        "--- !u!1 &100\nGameObject:\n  m_Component:\n  - component: {fileID: 101}\n"
        "  - component: {fileID: 102}\n  m_Name: P\n"
        "--- !u!4 &101\nTransform:\n  m_GameObject: {fileID: 100}\n"
        "--- !u!20 &102\nCamera:\n  m_GameObject: {fileID: 100}\n  list: [1, 2, 3]\n"
        "  none: []\n  target: {fileID: 101}\n  text: a\n  color: {r: 1, g: 0}\n",
        "e" * 32,
    )
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1001 &65536\nPrefabInstance:\n  m_Modification:\n"
        f"    m_Modifications:\n{''.join(override(*each) for each in changes)}"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {'e' * 32}, type: 3}}\n"
        "--- !u!1 &20\nGameObject:\n  m_Name: Q\n",
    )
    found = workshop.open().components("Assets/A.unity", "P")
    values = {
        name: value for name, (_, value) in fields(found["components"][1]).items()
    }
    return values, found.get("diagnostics", [])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("color.g", "0.5")], {"color": {"r": 1, "g": 0.5}}),
        ([("list.Array.data[1]", "7")], {"list": [1, 7, 3]}),
        ([("list.Array.size", "1")], {"list": [1]}),
        ([("list.Array.size", "5")], {"list": [1, 2, 3, 3, 3]}),
        ([("list.Array.data[3]", "4")], {"list": [1, 2, 3, 4]}),
        (
            [("none.Array.size", "2"), ("none.Array.data[1].x", "6")],
            {"none": ["", {"x": 6}]},
        ),
        ([("added.inner", "1")], {"added": {"inner": 1}}),
        ([("target", "")], {"target": None}),
        ([("target", "", 20)], {"target": {"instanceId": 20, "path": "Q"}}),
        ([("text", "", 20)], {"text": {"instanceId": 20, "path": "Q"}}),
        ([("text", "")], {"text": ""}),
    ],
)
def test_overrides_of_members_elements_sizes_and_references(
    workshop, changes, expected
):
    values, told = overridden(workshop, *changes)
    assert {name: values[name] for name in expected} == expected
    assert told == []


@pytest.mark.parametrize(
    "path",
    [
        "list.Array.data[4]",
        "list.Array.size.x",
        "text.x",
        "color",
        "text.Array.size",
        "list.y",
    ],
)
def test_an_override_that_fits_no_field_is_told(workshop, path):
    values, told = overridden(workshop, (path, "1"))
    assert values["list"] == [1, 2, 3]
    assert values["text"] == "a"
    assert values["color"] == {"r": 1, "g": 0}
    assert told == [f"The override of {path} of the Camera of 'P' fits no field."]


def test_a_size_beyond_reason_is_not_made(workshop):
    values, told = overridden(workshop, ("list.Array.size", "2000000000"))
    assert values["list"] == [1, 2, 3]
    assert len(told) == 1


def test_long_values_are_cut_and_told(workshop):
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {fileID: 2}\n"
        "  m_Name: A\n--- !u!20 &2\nCamera:\n  m_GameObject: {fileID: 1}\n"
        f"  list: [{', '.join('1' * 2000)}]\n  text: {'x' * 20_000}\n",
    )
    found = workshop.open().components("Assets/A.unity", "A")
    camera = fields(found["components"][0])
    assert camera["list"] == ("array", [1] * 1000)
    assert camera["text"] == ("string", "x" * 10_000)
    assert found["diagnostics"] == [
        "list of the Camera of 'A' has 2000 elements; the first 1000 are shown.",
        "text of the Camera of 'A' has 20000 characters; the first 10000 are shown.",
    ]
