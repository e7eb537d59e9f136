"""A short result that the agent has yet to answer: none of its words may have a value, and it is what is next."""

from __future__ import annotations

import pytest

from tests.pipeline.sessions import Json, assistant, compact, user

SAID = "the people always make the best of it, and the rest of them watch"
ENDS = (
    "(Open file: n/a)\n(Current directory: /home/sam/projects/tasks/the-2015-finals/kept-in-this-long-folder)\nbash-$"
)


def session() -> list[Json]:
    """A session of an agent that writes its commands as text; each result ends with the prompt."""
    records = [user(f"Decode the message that the file holds.\n{ENDS}")]
    for n in range(8):
        listing = "\n".join(f"part_{n}_{row}.bin  {row * 977} bytes" for row in range(14))
        records += [
            assistant(f"I look at part {n}.\n\n```bash\nls -l part_{n}\n```"),
            user(f"<returncode>0</returncode>\n<output>\n{listing}\n</output>\n{ENDS}"),
        ]
    decode = assistant("The digits are letters.\n\n```bash\nperl decode.pl\n```")
    return [*records, decode, user(f"<returncode>0</returncode>\n{SAID}\n{ENDS}")]


@pytest.mark.parametrize("target", [260, 320, 420])
@pytest.mark.parametrize("strategy", ["adaptive", "handoff"])
def test_it_is_kept_rather_than_the_prompt_behind_it(strategy: str, target: int) -> None:
    part = compact(session(), strategy=strategy, target_tokens=target)
    assert SAID in "\n".join(message.text() for message in part.messages)
