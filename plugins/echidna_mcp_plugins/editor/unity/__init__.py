"""Unity projects as they lie on disk: scenes, prefabs, settings, audio mixers.

`project.UnityProject` answers the questions of the tools; docs/editor.md says what they
can see and what they can't. Nothing here writes, and no Unity is needed.
"""
