"""scene.objects.find."""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

MAIN = "Assets/Scenes/Main.unity"


def paths(found):
    return [each["path"] for each in found["matches"]]


def test_a_match_has_all_that_the_hierarchy_says_and_tag_layer_and_activity(orchard):
    found = orchard.find_objects(MAIN, component_type="CameraRig")
    assert found["matches"] == [
        {
            "name": "Main Camera",
            "path": "Main Camera",
            "instanceId": 100,
            "components": ["Transform", "Camera", "CameraRig"],
            "active": True,
            "tag": "MainCamera",
            "layer": "Default",
        }
    ]
    # The search could have missed it: what this script is called is not known.
    (told,) = found["diagnostics"]
    assert told.startswith("A script of 'Player' is shown as MonoBehaviour")


def test_without_criteria_all_objects_are_found_parents_first(orchard):
    assert paths(orchard.find_objects(MAIN)) == [
        *("Canvas", "Canvas/Button", "Canvas/Button", "Canvas/Button/Label"),
        *("Player", "Player/1", "Player/=yes", "Main Camera"),
    ]


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"component_type": "Button"}, ["Canvas/Button"]),
        ({"component_type": "button"}, []),
        ({"component_type": "Missing Script"}, ["Player"]),
        ({"name_pattern": "[BL]*"}, ["Canvas/Button"] * 2 + ["Canvas/Button/Label"]),
        ({"name_pattern": "[!BLCMP]*"}, ["Player/1", "Player/=yes"]),
        ({"name_pattern": "?utton"}, ["Canvas/Button"] * 2),
        ({"name_pattern": "player"}, []),
        ({"name_pattern": "Canvas/Button"}, []),
        ({"tag": "Player"}, ["Player"]),
        ({"tag": "Nothing"}, []),
        ({"layer": "Fruit"}, ["Player"]),
        ({"layer": "8"}, ["Player"]),
        ({"layer": "9"}, ["Player/1"]),
        ({"layer": "UI", "component_type": "Button"}, ["Canvas/Button"]),
        ({"tag": "Player", "layer": "UI"}, []),
    ],
)
def test_all_criteria_must_be_fulfilled(orchard, criteria, expected):
    assert paths(orchard.find_objects(MAIN, **criteria)) == expected


def test_a_layer_without_name_is_its_number_and_unity_4_named_them_otherwise(
    orchard, antique
):
    (found,) = orchard.find_objects(MAIN, name_pattern="1")["matches"]
    assert found["layer"] == "9"
    (found,) = antique.find_objects("Assets/Old.unity", layer="Ghosts")["matches"]
    assert (found["name"], found["layer"]) == ("Score", "Ghosts")


@pytest.mark.parametrize("layer", ["Vegetables", "32", "-1", "", "\uff18"])
def test_an_unknown_layer_is_refused_with_those_that_are_known(orchard, layer):
    with pytest.raises(UnityProjectError) as refused:
        orchard.find_objects(MAIN, layer=layer)
    assert refused.value.kind == "validation"
    assert refused.value.message == (
        f"{layer!r} is no layer; give one of 'Default', 'TransparentFX', "
        "'Ignore Raycast', 'Water', 'UI', 'Fruit', or a number from 0 to 31."
    )


def test_without_a_tag_manager_layers_are_those_of_unity_and_that_is_told(workshop):
    workshop.asset("Assets/A.unity", "--- !u!1 &1\nGameObject:\n  m_Layer: 4\n")
    found = workshop.open().find_objects("Assets/A.unity", layer="Water")
    assert len(found["matches"]) == 1
    (told,) = found["diagnostics"]
    assert told.startswith("ProjectSettings/TagManager.asset can't be read")


def test_a_pattern_of_many_stars_is_matched_at_once(workshop):
    workshop.asset(
        "Assets/A.unity", f"--- !u!1 &1\nGameObject:\n  m_Name: {'a' * 5000}\n"
    )
    pattern = "*a" * 100 + "b"
    assert (
        workshop.open().find_objects("Assets/A.unity", name_pattern=pattern)["matches"]
        == []
    )


def test_a_pattern_beyond_its_bound_is_refused(orchard):
    with pytest.raises(UnityProjectError) as refused:
        orchard.find_objects(MAIN, name_pattern="*" * 257)
    assert refused.value.kind == "validation"
    assert "longer than 256" in refused.value.message
