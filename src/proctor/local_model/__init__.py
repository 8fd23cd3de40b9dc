"""A small real language model behind an OpenAI-compatible server on 127.0.0.1, to try the whole path of an evaluation.

It needs the extra `local-model` and a package with weights; see `weights`. Nothing else in proctor imports this room.
"""
