"""What sentences of the user are worth beside each other: by their words, by a learned score, and by what of a long
request the agent took up next: what it was asked to do stands there again, in whatever language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise, takewhile
from math import exp, fsum, log
from typing import TYPE_CHECKING

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, unescape
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import WIDE

if TYPE_CHECKING:
    from compactor_cli.features.talk import Statement

_NAMED = compiled_later(r"\d|[^\W_][._/@][^\W_]|[`\"“”«»「」'][^\s`\"“”'][^`\"“”]*[`\"“”»」']")

Rate = Callable[[Sequence[tuple[int, str]]], Sequence[float]]
"""How likely sentences of the user, each with the number of its message, are to be needed later: 0 to 1."""
TakenUp = Callable[[int, Sequence[str]], Sequence[float]]
"""How much of each sentence of a request, given by the number of its message, the agent took up, beside the one of
which it took up most: 0 to 1, or PROMPT. Empty where it took up nothing."""

_RUN_ON, _PART = 70, 25
"""Characters from which on a sentence may be run together, and those of a part that says something alone."""
_SURELY, _CLEARLY = 0.2, 0.25
"""How much the words of a part have to speak against small talk, and how much more than those of the whole."""
_COMMA = compiled_later(r"[,;:]\s+|[，、；：،؛]\s*")
_TALK, _STEEP, _DOUBT = 0.3, 6.0, 0.12
"""What the words of small talk count at least, how soon a sentence is held for that, and how much for it is none yet: a
wish is put much like it."""
_READ = 6_000
"""Characters of what the agent said and did next that are read."""
_UNSAID = 10.0
"""Worth of words that every sentence is taken to have besides its own: one or two words that both say tell little."""
_LEAST = 0.1
"""Share of the words of the best sentence below which nothing is taken for taken up."""
_MOST = 0.6
"""Share beside that of the best one up to which a sentence is not: common words are in most of them."""
_BESIDE_NAMES = 0.5
"""What the words count where names were taken up: most requests are on files, and so is what an agent says."""
_FIGURE = compiled_later(r"(?<![\w.])\d{3,}(?![\w.]\d)")
PROMPT = -1.0
"""What is said of a sentence that was taken up by nobody, as a harness prints it behind whatever it shows."""
_SHELL = compiled_later(r"[(\[{<$>#%].*|.*[$>]|\w+@[\w.-]+")
"""What stands before a colon in a prompt whose rest differs each time, such as the folder; of other lines all has to be
the same but figures."""
_DIGITS = compiled_later(r"\d+")
_SEEN, _ENDING, _AGAIN = 12, 3, 2
"""Messages behind a request, last lines of each, and how many of these have to end in the same way."""


def rate_by(messages: Sequence[Message], weights: Mapping[str, float]) -> Rate:
    """Return what rates sentences by the learned score of what people say, with what the agent says in between, and by
    the words alone: half each. Sentences of earlier rounds have negative numbers."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        # read here, as most sessions have room for all that was said and ask for no values
        from compactor_cli.features.talk import statement_values

        said = [(message, _binding_part(text)) for message, text in sentences]
        talk = _talk(messages, said)
        values = statement_values(talk, weights, (index for index, turn in enumerate(talk) if turn.speaker == "user"))
        plain = zip(plain_values(sentences), (_unlike_talk(text) for _, text in said), strict=True)
        return [(value + each * share) / 2 for value, (each, share) in zip(values, plain, strict=True)]

    return rate


def _binding_part(sentence: str) -> str:
    """Return the part of a long sentence, between commas or behind one, whose words speak against small talk, where
    those of all of it do not: people run both into one."""
    if len(sentence) < _RUN_ON:
        return sentence
    from compactor_cli.features.wording import shipped_wordings

    against_talk = shipped_wordings().of
    cuts = [(0, 0), *(match.span() for match in _COMMA.finditer(sentence)), (len(sentence), len(sentence))]
    parts = [sentence[end:start] for (_, end), (start, _) in pairwise(cuts)]
    parts += [sentence[end:] for _, end in cuts[1:-1]]
    told = {part: against_talk(part)[0] for part in parts if len(part) >= _PART}
    best = max(told, key=told.__getitem__, default=sentence)
    return best if told and told[best] >= max(_SURELY, against_talk(sentence)[0] + _CLEARLY) else sentence


def _unlike_talk(sentence: str) -> float:
    """Return what the words of a sentence count, by how they speak against small talk, or for a request: small talk has
    rare words, too."""
    from compactor_cli.features.wording import shipped_wordings

    against_talk, against_request = shipped_wordings().of_text(sentence)
    speaks = _DOUBT + max(against_talk, -against_request)
    return 1.0 if speaks >= 0 or _NAMED.search(sentence) else _TALK + (1 - _TALK) * exp(_STEEP * speaks)


def rate_needed(messages: Sequence[Message], weights: Mapping[str, float]) -> Rate:
    """Return what rates sentences of a chat by the learned score of what is needed to go on with it."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        from compactor_cli.features.talk import needed_values

        talk = _talk(messages, sentences)
        values = zip(talk, needed_values(talk, weights), strict=True)
        return [value for turn, value in values if turn.speaker == "user"]

    return rate


def _talk(messages: Sequence[Message], sentences: Sequence[tuple[int, str]]) -> list[Statement]:
    """Return sentences of the user, in order, with what the agent says in between."""
    from compactor_cli.features.talk import Statement

    answers = [Statement(m.index, m.role, m.text("text")) for m in messages if m.role == "assistant"]
    said = [Statement(message, "user", text) for message, text in sentences]
    return sorted([*said, *(each for each in answers if each.text.strip())], key=lambda each: each.message)


def plain_values(sentences: Sequence[tuple[int, str]]) -> list[float]:
    """Return the values of sentences by their words alone: rare ones, names and numbers speak for them, nods do not."""
    terms = [subject_terms(text) for _, text in sentences]
    spread = Counter(term for own_terms in terms for term in own_terms)
    scale = log(1 + len(sentences)) or 1.0
    values = []
    for (_, text), own_terms in zip(sentences, terms, strict=True):
        rare = sum(log((1 + len(sentences)) / spread[term]) for term in sorted(own_terms)) / scale
        # pairs of wide characters are more than words, and their sum is soon at the usual limit
        said = min(1.0, rare / 8) + (max(0.0, rare / 8 - 1) / 2 if not text.isascii() and WIDE.search(text) else 0.0)
        value = said * 0.7 + (0.3 if _NAMED.search(text) else 0.1)
        values.append(value * (0.7 if ASKS.search(text) else 1.0))
    return values


def taken_up_in(messages: Sequence[Message], query: str = "") -> TakenUp:
    """Look for the words of sentences in the messages of the agent behind their request, up to the next one, and in a
    query; for names, in results, too."""
    asked = subject_terms(query.lower())

    def taken_up(message: int, sentences: Sequence[str]) -> Sequence[float]:
        behind = list(_behind(messages, message)) if message >= 0 else []
        said, shown = _read(behind, ("text", "tool_call")), _read(behind, ("tool_result",))
        terms = asked | subject_terms(said) if said else asked
        words = _shares(sentences, terms) if terms else ()
        names = _shares_of_names(sentences, _names(f"{said}\n{shown}"))
        beside = _BESIDE_NAMES if any(names) else 1.0
        shares = [min(1.0, name + word * beside) for name, word in _both(names, words)]
        for at in _prompts(sentences, behind):
            shares[at] = PROMPT
        return shares if any(shares) else ()

    return taken_up


def _both(names: Sequence[float], words: Sequence[float]) -> Iterator[tuple[float, float]]:
    return zip(names, words or [0.0] * len(names), strict=True)


def _behind(messages: Sequence[Message], request: int) -> Iterator[Message]:
    """Yield the messages behind a request, up to the next one."""
    following = (messages[i] for i in range(request + 1, len(messages)))
    yield from takewhile(lambda message: message.origin != "request", following)


def _read(messages: Iterable[Message], kinds: Container[str]) -> str:
    """Return the beginning of what these parts say: of calls and texts, those of the agent."""
    said: list[str] = []
    left = _READ
    for message in messages:
        for part in message.parts:
            if part.kind in kinds and (message.role == "assistant" or part.kind == "tool_result"):
                said.append(unescape(part.text[:left]))
                left -= len(said[-1])
        if left <= 0:
            break
    return "\n".join(said)


def _shares(sentences: Sequence[str], said: set[str]) -> Sequence[float]:
    """Return the shares of the words of sentences that were said, the rarer ones counting more."""
    terms = [subject_terms(sentence) for sentence in sentences]
    spread = Counter(term for own in terms for term in own)
    worth = {term: log((1 + len(sentences)) / count) for term, count in spread.items()}
    shares = [
        fsum(worth[term] for term in own if term in said) / (_UNSAID + fsum(worth[term] for term in own))
        for own in terms
    ]
    best = max(shares, default=0.0)
    return [max(0.0, (share / best - _MOST) / (1 - _MOST)) for share in shares] if best >= _LEAST else ()


def _shares_of_names(sentences: Sequence[str], known: Set[str]) -> list[float]:
    """Return for each sentence how many names it has that came up again: two that no other one has are enough."""
    names = [_names(sentence) & known for sentence in sentences]
    spread = Counter(name for own in names for name in own)
    enough = 2 * log(1 + len(sentences))
    return [fsum(log((1 + len(sentences)) / spread[name]) for name in sorted(own)) / enough for own in names]


def _names(text: str) -> set[str]:
    """Return the names of a text, of paths their last part, and its longer numbers."""
    return {name.rpartition("/")[2] or name for name in identifiers(text)} | set(_FIGURE.findall(text))


def _prompts(sentences: Sequence[str], behind: Iterable[Message]) -> Iterator[int]:
    """Yield the sentences at the end that results end with again and again: what a harness prints there."""
    from compactor_cli.features.cue_words import rule_points  # read here for the same reason

    ends = Counter(key for message in islice(behind, _SEEN) for key in _last_lines(message))
    for at in range(len(sentences) - 1, -1, -1):
        if ends[_key(sentences[at])] < _AGAIN or rule_points(sentences[at]) > 0:
            return
        yield at


def _last_lines(message: Message) -> set[str]:
    """Return the keys of the last lines of what is no word of the agent."""
    text = message.parts[-1].text.rstrip() if message.role != "assistant" and message.parts else ""
    return {_key(line) for line in text.rsplit("\n", _ENDING)[-_ENDING:] if line.strip()}


def _key(line: str) -> str:
    """Return what a line has in common with others of its kind: of a prompt all before a colon, of others all but
    figures."""
    before, colon, _ = line.strip().partition(":")
    return before if colon and _SHELL.fullmatch(before) else _DIGITS.sub("0", line.strip())
