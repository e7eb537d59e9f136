"""Values of the user's sentences: by their words, by a learned score, and by what the agent took up next of a long
request. What the agent was asked to do occurs in its next messages, in any language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise, takewhile
from math import exp, fsum, log
from typing import TYPE_CHECKING

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, unescape
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import QUESTION_END
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import WIDE

if TYPE_CHECKING:
    from compactor_cli.features.talk import Statement

_NAMES_THING = compiled_later(r"\d|[^\W_][._/@][^\W_]|[`\"“”«»「」'][^\s`\"“”'][^`\"“”]*[`\"“”»」']")

SentenceRater = Callable[[Sequence[tuple[int, str]]], Sequence[float]]
"""Returns how likely sentences of the user, each with the number of its message, are to be needed later: 0 to 1."""
EchoRater = Callable[[int, Sequence[str]], Sequence[float]]
"""Returns how much of each sentence of a request the agent took up: 0 to 1, relative to the sentence that it took up
most, or PROMPT. The request is given by the number of its message. Empty if the agent took up nothing."""

_LONG_SENTENCE_CHARS, _MIN_PART_CHARS = 70, 25
"""Characters from which on a sentence may be several run together, and minimum characters of a part that says something
alone."""
_MIN_EVIDENCE, _MIN_EVIDENCE_GAIN = 0.2, 0.25
"""Minimum evidence against small talk in the words of a part, and how much more than in the whole sentence it has to
be."""
_COMMA = compiled_later(r"[,;:]\s+|[，、；：،؛]\s*")
_MIN_TALK_WEIGHT, _TALK_SLOPE, _IGNORED_EVIDENCE = 0.3, 6.0, 0.12
"""Minimum weight of the words of small talk, how steeply the weight falls, and the evidence for small talk that is
ignored: wishes are worded much like it."""
_MAX_READ_CHARS = 6_000
"""Maximum characters to read of what the agent said and did next."""
_PRIOR_WEIGHT = 10.0
"""Worth of the words that every sentence is assumed to have besides its own: one or two words in common prove
little."""
_MIN_SHARE = 0.1
"""Share of its words below which even the best sentence does not count as taken up."""
_MIN_RELATIVE = 0.6
"""Share, relative to the best sentence, up to which a sentence does not count as taken up: common words occur in most
of them."""
_WORD_WEIGHT = 0.5
"""Weight of words if names were taken up too: most requests are about files, and so is what an agent says."""
_FIGURE = compiled_later(r"(?<![\w.])\d{3,}(?![\w.]\d)")
PROMPT = -1.0
"""Marks a sentence that nobody takes up, because a harness prints it at the end of everything it shows."""
_SHELL = compiled_later(r"[(\[{<$>#%].*|.*[$>]|\w+@[\w.-]+")
"""The text before the colon of a prompt whose rest differs each time, such as the folder. Other lines have to be equal
except for their figures."""
_DIGITS = compiled_later(r"\d+")
_MESSAGES_SEEN, _LAST_LINES, _MIN_REPETITIONS = 12, 3, 2
"""Number of messages after a request, number of last lines of each, and how many messages have to end alike."""


def learned_rater(messages: Sequence[Message], weights: Mapping[str, float]) -> SentenceRater:
    """Return a function that rates sentences: half by the learned score of what people say, with the agent's texts in
    between, and half by the words alone. Sentences of earlier rounds have negative numbers."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        # imported here: in most sessions everything said fits, and no values are needed
        from compactor_cli.features.talk import statement_values

        rated_parts = [(message, _binding_part(text)) for message, text in sentences]
        statements = _talk_with_answers(messages, rated_parts)
        values = statement_values(
            statements, weights, (index for index, turn in enumerate(statements) if turn.speaker == "user")
        )
        word_values = zip(plain_values(sentences), (_unlike_talk(text) for _, text in rated_parts), strict=True)
        return [
            (value + word_value * share) / 2 for value, (word_value, share) in zip(values, word_values, strict=True)
        ]

    return rate


def _binding_part(sentence: str) -> str:
    """Return the part of a long sentence, between commas or after one, whose words are no small talk if the whole
    sentence reads like it: people run both into one. Otherwise return the sentence."""
    if len(sentence) < _LONG_SENTENCE_CHARS:
        return sentence
    from compactor_cli.features.wording import shipped_wordings

    evidence = shipped_wordings().sentence_values
    borders = [(0, 0), *(match.span() for match in _COMMA.finditer(sentence)), (len(sentence), len(sentence))]
    parts = [sentence[end:start] for (_, end), (start, _) in pairwise(borders)]
    parts += [sentence[end:] for _, end in borders[1:-1]]
    scores = {part: evidence(part)[0] for part in parts if len(part) >= _MIN_PART_CHARS}
    best = max(scores, key=scores.__getitem__, default=sentence)
    return (
        best if scores and scores[best] >= max(_MIN_EVIDENCE, evidence(sentence)[0] + _MIN_EVIDENCE_GAIN) else sentence
    )


def _unlike_talk(sentence: str) -> float:
    """Return the weight of a sentence by how much its words speak against small talk, or for a request. Rarity of words
    is not enough, because small talk has rare words, too."""
    from compactor_cli.features.wording import shipped_wordings

    against_talk, against_request = shipped_wordings().text_values(sentence)
    total_evidence = _IGNORED_EVIDENCE + max(against_talk, -against_request)
    return (
        1.0
        if total_evidence >= 0 or _NAMES_THING.search(sentence)
        else _MIN_TALK_WEIGHT + (1 - _MIN_TALK_WEIGHT) * exp(_TALK_SLOPE * total_evidence)
    )


def needed_rater(messages: Sequence[Message], weights: Mapping[str, float]) -> SentenceRater:
    """Return a function that rates sentences of a chat by the learned score of what is needed to continue it."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        from compactor_cli.features.talk import needed_values

        statements = _talk_with_answers(messages, sentences)
        values = zip(statements, needed_values(statements, weights), strict=True)
        return [value for turn, value in values if turn.speaker == "user"]

    return rate


def _talk_with_answers(messages: Sequence[Message], sentences: Sequence[tuple[int, str]]) -> list[Statement]:
    """Return the sentences of the user, in order, with what the agent says in between."""
    from compactor_cli.features.talk import Statement

    answers = [Statement(m.index, m.role, m.text("text")) for m in messages if m.role == "assistant"]
    requests = [Statement(message, "user", text) for message, text in sentences]
    return sorted([*requests, *(each for each in answers if each.text.strip())], key=lambda each: each.message)


def plain_values(sentences: Sequence[tuple[int, str]]) -> list[float]:
    """Return the values of sentences by their words alone. Rare words, names and numbers raise the value; questions get
    less."""
    terms = [subject_terms(text) for _, text in sentences]
    term_counts = Counter(term for own_terms in terms for term in own_terms)
    scale = log(1 + len(sentences)) or 1.0
    values = []
    for (_, text), own_terms in zip(sentences, terms, strict=True):
        rare = sum(log((1 + len(sentences)) / term_counts[term]) for term in sorted(own_terms)) / scale
        # there are more pairs of wide characters than words, so their sum soon reaches the usual limit
        rarity = min(1.0, rare / 8) + (max(0.0, rare / 8 - 1) / 2 if not text.isascii() and WIDE.search(text) else 0.0)
        value = rarity * 0.7 + (0.3 if _NAMES_THING.search(text) else 0.1)
        values.append(value * (0.7 if QUESTION_END.search(text) else 1.0))
    return values


def echo_rater(messages: Sequence[Message], query: str = "") -> EchoRater:
    """Return a function that looks for the words of a request's sentences in the agent's messages up to the next
    request, and in a query. Names are also looked for in results."""
    query_terms = subject_terms(query.lower())

    def taken_up(message: int, sentences: Sequence[str]) -> Sequence[float]:
        later = (messages[i] for i in range(message + 1, len(messages) if message >= 0 else 0))
        after = list(takewhile(lambda each: each.origin != "request", later))
        speech, results = _read(after, ("text", "tool_call")), _read(after, ("tool_result",))
        terms = query_terms | subject_terms(speech) if speech else query_terms
        words = _word_shares(sentences, terms) if terms else ()
        names = _name_shares(sentences, _names(f"{speech}\n{results}"))
        word_weight = _WORD_WEIGHT if any(names) else 1.0
        pairs = zip(names, words or [0.0] * len(names), strict=True)
        shares = [min(1.0, name + word * word_weight) for name, word in pairs]
        for index in _prompt_indices(sentences, after):
            shares[index] = PROMPT
        return shares if any(shares) else ()

    return taken_up


def _read(messages: Iterable[Message], kinds: Container[str]) -> str:
    """Return the beginning of the text of parts of these kinds. Of texts and calls, only the agent's count."""
    texts: list[str] = []
    chars_left = _MAX_READ_CHARS
    for message in messages:
        for part in message.parts:
            if part.kind in kinds and (message.role == "assistant" or part.kind == "tool_result"):
                texts.append(unescape(part.text[:chars_left]))
                chars_left -= len(texts[-1])
        if chars_left <= 0:
            break
    return "\n".join(texts)


def _word_shares(sentences: Sequence[str], known_terms: set[str]) -> Sequence[float]:
    """Return the share of each sentence's words that were said, with a higher weight for rarer words."""
    terms = [subject_terms(sentence) for sentence in sentences]
    term_counts = Counter(term for sentence_terms in terms for term in sentence_terms)
    term_weights = {term: log((1 + len(sentences)) / count) for term, count in term_counts.items()}
    shares = [
        fsum(term_weights[term] for term in sentence_terms if term in known_terms)
        / (_PRIOR_WEIGHT + fsum(term_weights[term] for term in sentence_terms))
        for sentence_terms in terms
    ]
    best = max(shares, default=0.0)
    return (
        [max(0.0, (share / best - _MIN_RELATIVE) / (1 - _MIN_RELATIVE)) for share in shares]
        if best >= _MIN_SHARE
        else ()
    )


def _name_shares(sentences: Sequence[str], known: Set[str]) -> list[float]:
    """Return for each sentence the share of names that came up again: two names that no other sentence has are
    enough."""
    names = [_names(sentence) & known for sentence in sentences]
    name_counts = Counter(name for own in names for name in own)
    enough = 2 * log(1 + len(sentences))
    return [fsum(log((1 + len(sentences)) / name_counts[name]) for name in sorted(own)) / enough for own in names]


def _names(text: str) -> set[str]:
    """Return the names in a text, with only the last part of paths, and its longer numbers."""
    return {name.rpartition("/")[2] or name for name in identifiers(text)} | set(_FIGURE.findall(text))


def _prompt_indices(sentences: Sequence[str], after: Iterable[Message]) -> Iterator[int]:
    """Yield the sentences at the end with which results end again and again: a harness prints them there."""
    from compactor_cli.features.cue_words import rule_points  # read here for the same reason

    ending_counts = Counter(key for message in islice(after, _MESSAGES_SEEN) for key in _last_lines(message))
    for index in range(len(sentences) - 1, -1, -1):
        if ending_counts[_line_key(sentences[index])] < _MIN_REPETITIONS or rule_points(sentences[index]) > 0:
            return
        yield index


def _last_lines(message: Message) -> set[str]:
    """Return the keys of the last lines of a message, or nothing for a message of the agent."""
    text = message.parts[-1].text.rstrip() if message.role != "assistant" and message.parts else ""
    return {_line_key(line) for line in text.rsplit("\n", _LAST_LINES)[-_LAST_LINES:] if line.strip()}


def _line_key(line: str) -> str:
    """Return what a line has in common with others of its kind: for a prompt the part before the colon, otherwise the
    line without its figures."""
    before, colon, _ = line.strip().partition(":")
    return before if colon and _SHELL.fullmatch(before) else _DIGITS.sub("0", line.strip())
