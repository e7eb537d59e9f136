"""The counter of seed 001: four characters a token, rounded up; two tokens a role."""

from __future__ import annotations

from compactor_cli.tokens.base import IMAGE_TOKENS


class CharacterCounter:
    approximate = True
    per_message = 2
    per_image = IMAGE_TOKENS

    def __init__(self, name: str = "chars") -> None:
        self.name = name

    def count(self, text: str) -> int:
        return -(-len(text) // 4)
