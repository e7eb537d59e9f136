"""Estimate how likely each message or sentence of a conversation is needed later, and which ones to keep.

Agents refer back by names, but people do not. Important things are said once, in any words and any language. A
statement is therefore judged by its form and by how its words are used in the conversation: whether anybody else
uses them, whether they are new, and whether they take up a question. If the language is known, cue words help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import exp, fsum, log, log1p
from operator import mul

from msgspec import Struct

from compactor_cli.features.cue_words import CUES, CueCounter
from compactor_cli.features.talk_words import (
    count_cheers,
    count_codes,
    count_inner_names,
    count_numbers,
    count_questions,
    count_unspaced,
    is_question,
    word_lengths,
    words,
)
from compactor_cli.features.wording import Wordings, shipped_wordings

_OPENING_LABELS = {"order": "an order", "chat": "small talk"}
TALK_SIGNALS: dict[str, str] = {
    "length": "log of its tokens, about",
    "length_squared": "a tenth of the square of that",
    "nod": "1 when it has three words or fewer, and no number",
    "rarity": "mean rarity of its words in the conversation (0 to 1)",
    "rarest": "mean rarity of its three rarest words",
    "own": "share of its words that nobody else says",
    "new": "share of its words that were not said before",
    "answers": "1 when it answers a question; less for its later sentences",
    "word_length": "log of the mean length of its words, in scripts with blanks",
    "long_words": "share of its long words, in scripts with blanks",
    "asks": "1 when it ends with a question",
    "questions": "log of its question marks",
    "cheers": "log of its exclamation marks, pictographs and laughter",
    "numbers": "log of its numbers",
    "names": "log of its words with a capital inside a sentence",
    "codes": "log of its names that are no words",
    **{
        cue: f"log of its words for {cue.replace('_', ' ')}"
        if each.words
        else f"log of 2 when it opens like {_OPENING_LABELS[cue]}"
        for cue, each in CUES.items()
    },
    "courtesies": "share of its words that are courtesies",
    "no_talk": "how much the words of a sentence of it speak against small talk",
    "no_request": "how much they speak against a single request",
}
"""Signal -> what it measures. A profile has a weight for each."""
CHAT_SIGNALS: dict[str, str] = {
    **TALK_SIGNALS,
    "agent": "1 when an agent says it",
    "digits": "share of its characters that are digits",
    "resumed": "share of its words, rare ones counting more, that are in the second message behind it",
}
"""The same for what is needed to continue a chat between a user and an agent."""


_LONG_WORD_LETTERS = 7
"""Minimum number of letters in a long word."""
_PRIOR_LETTERS, _PRIOR_LONG_SHARE = 4.5, 0.2
"""Prior for letters per word, and for the share of long words."""
_PRIOR_WORDS = 4
"""Number of words that the prior counts for, since a single long word says little."""
_TOKEN_EXPONENT = 0.4
"""Exponent of the tokens by which a statement's worth is divided: 1 means worth per token, 0 ignores the length."""
_VALUE_EXPONENT = 1.5
"""Exponent that turns a value into worth. Of statements with a value of one half, hardly one in ten is needed."""
_BASE_WORTH = 0.1
"""Worth of any statement. If none stands out, as in a meeting, many short ones say more than a few long ones."""
_MAX_ANSWER_TOKENS = 20
"""Maximum tokens of an answer that says little without its question."""
_QUESTION_SHARE = 0.5
"""Share of such an answer's value that its question gets."""


class Statement(Struct, frozen=True):
    """A statement: a whole message, or one sentence of it."""

    message: int
    """Number of its message."""
    speaker: str
    """The role, with the name if the format has one."""
    text: str


def statement_values(
    statements: Sequence[Statement], weights: Mapping[str, float], indices: Iterable[int] | None = None
) -> list[float]:
    """Return the probability that each statement is needed later, 0 to 1. The statements belong to one conversation,
    in order. `indices`: the statements to evaluate; None for all."""
    return logistic_values(statement_signals(statements, indices), weights)


def logistic_values(
    rows: Iterable[Sequence[float]], weights: Mapping[str, float], signals: Iterable[str] = TALK_SIGNALS
) -> list[float]:
    """Return the value of each statement from its row of `signals`; a row may have further signals at the end."""
    bias_and_weights = _weights(weights, signals)
    return [_value(row, bias_and_weights) for row in rows]


def later_and_binding_values(
    statements: Sequence[Statement],
    talk: Mapping[str, float],
    binding: Mapping[str, float],
    indices: Iterable[int] | None = None,
) -> list[tuple[float, float]]:
    """Return the probabilities that each statement is asked for later and that it is binding, 0 to 1. Statements of
    an assistant are never binding. `indices`: as for `statement_values`."""
    positions = range(len(statements)) if indices is None else [*indices]
    rows = statement_signals(statements, positions)
    binding_probs = binding_values([statements[place] for place in positions], rows, binding)
    return list(zip(logistic_values(rows, talk), binding_probs, strict=True))


def binding_values(
    statements: Sequence[Statement], rows: Sequence[Sequence[float]], weights: Mapping[str, float]
) -> list[float]:
    """Return the probability that each statement is binding, 0 to 1, from its row of signals. Statements of an agent
    are never binding."""
    values = zip(statements, logistic_values(rows, weights), strict=True)
    return [0.0 if statement.speaker == "assistant" else value for statement, value in values]


def either_probability(later: float, binds: float) -> float:
    """Return the probability that at least one of the two is true."""
    return 1 - (1 - later) * (1 - binds)


def discount_value(value: float, share: float) -> float:
    """Return the value at which a statement gets `share` of the worth that it has with `value` in the order of
    `rank_statements`. The result may be negative."""
    worth = (_worth(value) + _BASE_WORTH) * share - _BASE_WORTH
    return worth ** (1 / _VALUE_EXPONENT) if worth > 0 else worth


def _worth(value: float) -> float:
    """Return what a value is worth in that order."""
    return value**_VALUE_EXPONENT if value > 0 else value


def needed_values(statements: Sequence[Statement], weights: Mapping[str, float]) -> list[float]:
    """Return the probability that each statement of a chat between a user and an agent is needed to continue it, 0
    to 1."""
    return logistic_values(chat_signals(statements), weights, CHAT_SIGNALS)


def needed_and_binding(
    statements: Sequence[Statement], needed: Mapping[str, float], binding: Mapping[str, float]
) -> tuple[list[float], list[float]]:
    """Return the values of `needed_values`, and the probability that each statement is binding. Statements of an
    agent are never binding."""
    rows = chat_signals(statements)
    return logistic_values(rows, needed, CHAT_SIGNALS), binding_values(statements, rows, binding)


def _weights(named: Mapping[str, float], signals: Iterable[str] = TALK_SIGNALS) -> tuple[float, list[float]]:
    """Return the bias in a part of a profile, and its weights in the order of the signals."""
    return named.get("bias", 0.0), [named.get(signal, 0.0) for signal in signals]


def _value(row: Sequence[float], weights: tuple[float, Sequence[float]]) -> float:
    bias, by_signal = weights
    points = bias + fsum(map(mul, by_signal, row))
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, points))))


class _Turn(Struct, frozen=True):
    """The statements of one message."""

    speaker: str
    words: frozenset[str]
    asks: bool


def statement_signals(
    statements: Sequence[Statement], indices: Iterable[int] | None = None, wordings: Wordings | None = None
) -> list[list[float]]:
    """Return the values of TALK_SIGNALS, in their order, for each statement or for those at `indices`. `wordings`:
    learned weights of words; None for the shipped ones."""
    talk = _Talk(statements, wordings or shipped_wordings())
    return [talk.signals(index) for index in (range(len(statements)) if indices is None else indices)]


def chat_signals(statements: Sequence[Statement], wordings: Wordings | None = None) -> list[list[float]]:
    """Return the values of CHAT_SIGNALS, in their order, for each statement. `wordings`: as for `statement_signals`."""
    talk = _Talk(statements, wordings or shipped_wordings())
    return [[*talk.signals(index), *talk.chat_signals(index)] for index in range(len(statements))]


class _Talk:
    """A conversation, read once: who says which words, and when."""

    def __init__(self, statements: Sequence[Statement], wordings: Wordings) -> None:
        self._statements = statements
        self._wordings = wordings
        self._words = [words(statement.text) for statement in statements]
        self._turn_of, self._turns, self._index_in_turn = self._read_turns()
        self._turns_with_word: Counter[str] = Counter()
        """Word -> number of turns that contain it."""
        self._first_turns: dict[str, int] = {}
        words_of_speaker: dict[str, set[str]] = {}
        for number, turn in reversed(list(enumerate(self._turns))):
            self._turns_with_word.update(turn.words)
            self._first_turns.update(dict.fromkeys(turn.words, number))
            words_of_speaker.setdefault(turn.speaker, set()).update(turn.words)
        self._speakers = Counter(chain.from_iterable(words_of_speaker.values()))
        """Word -> number of speakers who use it."""
        self._scale = log(len(self._turns) + 1)
        self._rarities = {word: self._rarity(word) for word in self._turns_with_word}
        self._cues = CueCounter(CUES)

    def _read_turns(self) -> tuple[list[int], list[_Turn], list[int]]:
        """Return the turn of each statement, the turns, and the place of each statement in its turn."""
        turn_of: list[int] = []
        index_in_turn: list[int] = []
        parts: list[list[int]] = []
        for index, statement in enumerate(self._statements):
            if not parts or self._statements[parts[-1][0]].message != statement.message:
                parts.append([])
            turn_of.append(len(parts) - 1)
            index_in_turn.append(len(parts[-1]))
            parts[-1].append(index)
        turns = [
            _Turn(
                self._statements[part[0]].speaker,
                frozenset(chain.from_iterable(self._words[index] for index in part)),
                is_question(self._statements[part[-1]].text),
            )
            for part in parts
        ]
        return turn_of, turns, index_in_turn

    def _rarity(self, word: str) -> float:
        """Return 0 for a word of every message, 1 for a word of a single message."""
        return log((len(self._turns) + 1) / self._turns_with_word[word]) / self._scale

    def signals(self, index: int) -> list[float]:
        """Return the values of TALK_SIGNALS for one statement, in their order."""
        text = self._statements[index].text
        distinct = list(dict.fromkeys(self._words[index]))
        lengths = word_lengths(self._words[index])
        length = log1p(sum(lengths) / 4 + 0.8 * count_unspaced(text))
        figures = count_numbers(text)
        cues = self._cues.count(text.lower(), distinct)
        return [
            length,
            length**2 / 10,
            float(len(distinct) <= 3 and not figures),
            *self._word_signals(index, distinct),
            self._answer_signal(index),
            *_form_signals(text, lengths),
            log1p(figures),
            log1p(count_inner_names(text)),
            log1p(count_codes(text)),
            *map(log1p, cues.values()),
            cues["courtesy"] / max(1, len(distinct)),
            *self._wordings.text_values(text),
        ]

    def chat_signals(self, index: int) -> tuple[float, float, float]:
        """Return the values of those CHAT_SIGNALS that are not in TALK_SIGNALS."""
        statement, next_own_turn = self._statements[index], self._turn_of[index] + 2
        resumed_words = self._turns[next_own_turn].words if next_own_turn < len(self._turns) else frozenset[str]()
        rarity = {word: self._rarities[word] for word in self._words[index]}
        resumed = fsum(rarity[word] for word in rarity if word in resumed_words) / (fsum(rarity.values()) or 1.0)
        text = statement.text
        return float(statement.speaker == "assistant"), sum(map(str.isdigit, text)) / max(1, len(text)), resumed

    def _word_signals(self, index: int, distinct: Sequence[str]) -> tuple[float, float, float, float]:
        """Return how rare and how new the statement's words are."""
        turn, size = self._turn_of[index], max(1, len(distinct))
        rarity = sorted(map(self._rarities.__getitem__, distinct), reverse=True)
        return (
            fsum(rarity) / size,
            sum(rarity[:3]) / max(1, len(rarity[:3])),
            list(map(self._speakers.__getitem__, distinct)).count(1) / size,
            list(map(self._first_turns.__getitem__, distinct)).count(turn) / size,
        )

    def _answer_signal(self, index: int) -> float:
        """Return how directly a statement answers a question of another speaker in the previous message: 1 for the
        first statement of its message, less for later ones, and 0 if there is no such question."""
        turn = self._turn_of[index]
        if not turn or not self._turns[turn - 1].asks or self._turns[turn - 1].speaker == self._turns[turn].speaker:
            return 0.0
        return 1 / (1 + self._index_in_turn[index])


def _form_signals(text: str, lengths: Sequence[int]) -> tuple[float, float, float, float, float]:
    """Return the signals for a statement's form. `lengths`: letters of its words in scripts with spaces."""
    count = len(lengths) + _PRIOR_WORDS
    return (
        log1p((sum(lengths) + _PRIOR_WORDS * _PRIOR_LETTERS) / count),
        (sum(length >= _LONG_WORD_LETTERS for length in lengths) + _PRIOR_WORDS * _PRIOR_LONG_SHARE) / count,
        float(is_question(text)),
        log1p(count_questions(text)),
        log1p(count_cheers(text)),
    )


def rank_statements(statements: Sequence[Statement], values: Sequence[float], tokens: Sequence[int]) -> list[int]:
    """Return indices of statements, those with the most worth for their tokens first.

    A question gets more worth if a short answer needs it. If a speaker repeats a statement word for word, only the
    newest one counts. Among statements of equal worth, the newest comes first.
    """
    worth = _with_questions(statements, values, tokens)
    newest = {
        (statement.speaker, " ".join(statement.text.split()).lower()): index
        for index, statement in enumerate(statements)
    }
    return sorted(
        newest.values(),
        key=lambda index: (-(_worth(worth[index]) + _BASE_WORTH) / max(1, tokens[index]) ** _TOKEN_EXPONENT, -index),
    )


def _with_questions(statements: Sequence[Statement], values: Sequence[float], tokens: Sequence[int]) -> list[float]:
    """Return the values, with a share of a short answer's value for the question before it."""
    worth = list(values)
    for index in range(1, len(statements)):
        question, answer = statements[index - 1], statements[index]
        if tokens[index] <= _MAX_ANSWER_TOKENS and question.speaker != answer.speaker and is_question(question.text):
            worth[index - 1] = max(worth[index - 1], _QUESTION_SHARE * values[index])
    return worth
