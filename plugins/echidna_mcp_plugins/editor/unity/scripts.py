"""Class names of scripts: those of the project, and of well-known packages.

Packages lie in `Library/PackageCache`, which is seldom under version control. So their
most used scripts are known here by guid; a package never changes these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from echidna_mcp_plugins.editor.unity.documents import Reference

_UGUI: Final[Mapping[str, str]] = {
    "0cd44c1031e13a943bb63640046fad76": "CanvasScaler",
    "1344c3c82d62a2a41a3576d8abb8e3ea": "RawImage",
    "1aa08ab6e0800fa44ae55d278d1423e3": "ScrollRect",
    "2a4db7a114972834c8e4117be1d82ba3": "Scrollbar",
    "30649d3a9faa99c48a7b1166b86bf2a0": "HorizontalLayoutGroup",
    "306cc8c2b49d7114eaa3623786fc2126": "LayoutElement",
    "31a19414c41e5ae4aae2af33fee712f6": "Mask",
    "3245ec927659c4140ac4f8d17403cc18": "ContentSizeFitter",
    "3312d7739989d2b4e91e6319e9a96d76": "RectMask2D",
    "4e29b1a8efbd4b44bb3f3716e73f07ff": "Button",
    "4f231c4fb786f3946a6b90b886c48677": "StandaloneInputModule",
    "59f8146938fff824cb5fd77236b75775": "VerticalLayoutGroup",
    "5f7201a12d95ffc409449d95f23cf332": "Text",
    "67db9e8f0e2ae9c40bc1e2b64352a6b4": "Slider",
    "76c392e42b5098c458856cdf6ecaaaa1": "EventSystem",
    "86710e43de46f6f4bac7c8e50813a599": "AspectRatioFitter",
    "8a8695521f0d02e499659fee002a26c2": "GridLayoutGroup",
    "9085046f02f69544eb97fd06b6048fe2": "Toggle",
    "d199490a83bb2b844b9695cbf13b01ef": "InputField",
    "dc42784cf147c0c48a680349fa168899": "GraphicRaycaster",
    "e19747de3f5aca642ab2be37e372fb86": "Outline",
    "fe87c0e1cc204ed48ad3b37840f39efc": "Image",
}
_TEXT_MESH_PRO: Final[Mapping[str, str]] = {
    "2da0c512f12947e489f739169773d7ca": "TMP_InputField",
    "7b743370ac3e4ec2a1668f5455a8ef8a": "TMP_Dropdown",
    "9541d86e2fd84c1d9990edf0852d74ab": "TextMeshPro",
    "f4688fdb7df04437aeb418b961361dc5": "TextMeshProUGUI",
}
_INPUT_SYSTEM: Final[Mapping[str, str]] = {
    "01614664b831546d2ae94a42149d80ac": "InputSystemUIInputModule",
    "62899f850307741f2a39c98a8b639597": "PlayerInput",
}
_RENDER_PIPELINES: Final[Mapping[str, str]] = {
    "073797afb82c5a1438f328866b10b3f0": "Light2D",
    "0cf1dab834d4ec34195b920ea7bbf9ec": "HDRenderPipelineAsset",
    "172515602e62fb746b5d573b38a5fe58": "Volume",
    "474bcb49853aa07438625e644c072ee6": "UniversalAdditionalLightData",
    "a79441f348de89743a2939f4d699eac1": "UniversalAdditionalCameraData",
    "bf2edee5c58d82540a51f03df9d42094": "UniversalRenderPipelineAsset",
}
_PACKAGES: Final = {**_UGUI, **_TEXT_MESH_PRO, **_INPUT_SYSTEM, **_RENDER_PIPELINES}

# UnityEngine.UI.dll until Unity 2019: scripts of an assembly are told apart by file id,
# the first 32 bits of the MD4 of "s", three NULs, name space and name.
_UI_ASSEMBLIES: Final = frozenset(
    {"f5f67c52d1564df4a8936ccd202a3bd8", "f70555f144d8491a825f0804e09c671c"}
)
_UI_CLASSES: Final[Mapping[int, str]] = {
    -1254083943: "AspectRatioFitter",
    1392445389: "Button",
    1980459831: "CanvasScaler",
    1741964061: "ContentSizeFitter",
    853051423: "Dropdown",
    -619905303: "EventSystem",
    -1862395651: "EventTrigger",
    1301386320: "GraphicRaycaster",
    -2095666955: "GridLayoutGroup",
    -405508275: "HorizontalLayoutGroup",
    -765806418: "Image",
    575553740: "InputField",
    1679637790: "LayoutElement",
    -1200242548: "Mask",
    -900027084: "Outline",
    -1690312454: "Physics2DRaycaster",
    -768656878: "PhysicsRaycaster",
    -98529514: "RawImage",
    -146154839: "RectMask2D",
    1367256648: "ScrollRect",
    -2061169968: "Scrollbar",
    -234403039: "Selectable",
    1573420865: "Shadow",
    -113659843: "Slider",
    1077351063: "StandaloneInputModule",
    708705254: "Text",
    2109663825: "Toggle",
    -1184210157: "ToggleGroup",
    1997211142: "TouchInputModule",
    1297475563: "VerticalLayoutGroup",
}


def class_of(script: Reference, identifier: str, asset: str) -> tuple[str, str]:
    """Return the class of a script, and what is wrong with it.

    Args:
        script: what `m_Script` says.
        identifier: what `m_EditorClassIdentifier` says, which Unity 6 always fills in.
        asset: path of the script in the project; empty if there is none.

    Returns:
        The class without name space; empty if it can't be told, and then why.
    """
    if asset and not asset.endswith(".dll"):
        name = asset.rpartition("/")[2]
        return name.rpartition(".")[0] or name, ""
    if known := _PACKAGES.get(script.guid):
        return known, ""
    if script.guid in _UI_ASSEMBLIES and script.file_id in _UI_CLASSES:
        return _UI_CLASSES[script.file_id], ""
    # `Assembly::Name.Space.Class`, before Unity 6 `Assembly:Name.Space:Class`.
    if name := identifier.rpartition(":")[2].rpartition(".")[2]:
        return name, ""
    if asset:
        return "", f"which of the scripts in {asset} it is can't be told from files"
    return "", f"no script of the project has the guid {script.guid or '(none)'}"
