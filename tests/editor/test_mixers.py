"""audio.mixer.list and audio.mixer.snapshot.read."""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

MIXER = "Assets/Audio/Main.mixer"


def parameters(found):
    return [
        (each["name"], each["value"], each["group"]) for each in found["parameters"]
    ]


def test_mixers_are_listed_with_groups_and_snapshots_in_their_order(orchard):
    assert orchard.mixers() == {
        "mixers": [
            {
                "path": "Assets/Audio/Broken.mixer",
                "name": "Broken",
                "groups": [],
                "snapshots": [],
            },
            {
                "path": MIXER,
                "name": "Main",
                "groups": [
                    {"name": "Master", "path": "Master"},
                    {"name": "Music", "path": "Master/Music"},
                    {"name": "Effects", "path": "Master/Effects"},
                ],
                "snapshots": [{"name": "Default"}, {"name": "Paused"}, {"name": "12"}],
            },
        ],
        "diagnostics": [
            (
                "Assets/Audio/Broken.mixer is binary, or no asset of Unity; set Asset "
                "Serialization to Force Text in the project settings under Editor, and "
                "save it again."
            )
        ],
    }


def test_a_snapshot_has_its_values_and_the_defaults_of_volume_and_pitch(orchard):
    found = orchard.snapshot(MIXER, "Paused")
    assert (found["mixerPath"], found["snapshotName"]) == (MIXER, "Paused")
    assert parameters(found) == [
        ("Volume", -1e-05, "Master"),
        ("Pitch", 1.0, "Master"),
        ("MusicVolume", -20.5, "Music"),
        ("Pitch", 1.0, "Music"),
        ("Lowpass Simple Cutoff freq", 900.0, "Music"),
        ("Wetness", 2.0, "Music"),
        ("Volume", 0.0, "Effects"),
        ("Pitch", 1.0, "Effects"),
    ]
    assert found["diagnostics"] == [
        "The snapshot 'Paused' has values of what is no longer in the mixer: 1."
    ]


def test_an_exposed_parameter_without_a_value_is_told(orchard):
    found = orchard.snapshot(MIXER, "12")
    assert parameters(found) == [
        ("Volume", 0.0, "Master"),
        ("Pitch", 1.0, "Master"),
        ("MusicVolume", 0.0, "Music"),
        ("Pitch", 1.0, "Music"),
        ("Volume", 0.0, "Effects"),
        ("Pitch", 0.5, "Effects"),
    ]
    assert found["diagnostics"] == [
        (
            "The snapshot '12' does not set 'Wetness', Lowpass Simple Resonance of "
            "'Music', which has the default of its effect."
        )
    ]


def test_an_unknown_snapshot_is_refused_with_those_that_exist(orchard):
    with pytest.raises(UnityProjectError) as refused:
        orchard.snapshot(MIXER, "paused")
    assert refused.value.kind == "not_found"
    assert refused.value.message == (
        f"{MIXER} has no snapshot 'paused'; it has 'Default', 'Paused', '12'."
    )


def test_a_file_without_a_mixer_is_refused(workshop):
    workshop.asset("Assets/A.mixer", "--- !u!1 &1\nGameObject:\n  m_Name: A\n")
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().snapshot("Assets/A.mixer", "Default")
    assert refused.value.kind == "unity"
    assert refused.value.message == (
        "Assets/A.mixer holds no audio mixer; choose another file."
    )


def test_broken_mixers_show_what_is_left_of_them(workshop):
    """A circle of groups, references to nothing, values that are no numbers."""
    a, b = "a" * 32, "b" * 32
    workshop.asset(
        "Assets/A.mixer",
        "--- !u!241 &1\nAudioMixerController:\n  m_Name: A\n"
        "  m_MasterGroup: {fileID: 2}\n  m_Snapshots:\n  - {fileID: 3}\n"
        "  - {fileID: 9}\n"
        "--- !u!243 &2\nAudioMixerGroupController:\n  m_Name: Master\n"
        f"  m_Children:\n  - {{fileID: 2}}\n  - {{fileID: 8}}\n  m_Volume: {a}\n"
        f"  m_Pitch: {b}\n"
        "--- !u!245 &3\nAudioMixerSnapshotController:\n  m_Name: S\n"
        f"  m_FloatValues:\n    {a}: loud\n    {b}: nan\n",
    )
    found = workshop.open().snapshot("Assets/A.mixer", "S")
    assert parameters(found) == [("Volume", 0.0, "Master"), ("Pitch", 1.0, "Master")]
    assert found["diagnostics"] == [
        "Assets/A.mixer refers to &8, which it does not have.",
        f"The snapshot 'S' sets {a} to 'loud', which is no number.",
        f"The snapshot 'S' sets {b} to 'nan', which is no number.",
    ]
