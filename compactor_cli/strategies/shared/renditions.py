"""Tokens and texts of groups that are kept whole or shortened."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain

from msgspec import Struct

from compactor_cli.features.cue_words import rule_points
from compactor_cli.features.spoken_names import names_spoken_of
from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_agent_summary
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.strategies.shared.kept_lines import KeptLines
from compactor_cli.strategies.shared.relevant_lines import RelevantLines
from compactor_cli.strategies.shared.request_values import echo_rater
from compactor_cli.strategies.shared.requests import Request, abridge_request
from compactor_cli.strategies.shared.rooms import is_followed, share_of
from compactor_cli.text.account_parts import AgentSummary
from compactor_cli.text.chosen import SentenceChoice
from compactor_cli.text.kept_sections import choose_prompt_sentences
from compactor_cli.text.kept_sentences import Keywords, Preference, kept_sentences
from compactor_cli.text.section_headings import Span
from compactor_cli.text.shorten import IMAGE_NOTE, MIN_TOKENS, Shortened, shorten_arguments, shorten_output, shorten_to
from compactor_cli.text.subjects import SubjectWords, stems

_NEWEST_MESSAGES = 20
"""Number of newest messages whose names say what is being worked on."""
_SUMMARY_END_SHARE = 0.6
"""Share of a cut summary that its end gets."""
_MAX_READ_CHARS = 20_000
"""Maximum characters of a text to search for names."""
_MAX_ARGUMENT_CHARS = 400
"""Characters of the arguments of a call that say what was done."""
_CONTEXT_WEIGHT = 0.4
"""Weight of a word in the arguments of calls or in the newest messages, relative to a word of the user."""
_IN_HAND = 2.0
"""Weight of a word in the newest request."""
_KEPT_SHARES = (1.0, 0.5, 0.25, 0.0)
"""Shares of the lines that `--keep` matches to make room for, tried one after the other."""
COMFORT_TOKENS = 300
"""Tokens that a recent output keeps before older exchanges are dropped for it."""
_NEWEST_SMALL_SHARE, _NEWEST_SHARE = 0.15, 0.30
"""Shares of a small and of a large room that the newest exchanges may take before any of their lines is chosen."""


class Cut(Struct, frozen=True):
    """How far parts may be cut. None leaves a kind of part unchanged."""

    outputs: int | None = None
    """Tokens of a tool result's body."""
    arguments: int | None = None
    """Characters of a string in a call's arguments."""
    prose: int | None = None
    """Tokens of a text."""
    images: bool = False
    kept: float = 0.0
    """Minimum share of the lines matched by `--keep` that a part keeps."""


class Renderer:
    """Renders groups of one transcript. Every shortened text is counted once."""

    def __init__(
        self,
        messages: Sequence[Message],
        count: Callable[[str], int],
        query: str = "",
        pairing: Pairing | None = None,
        keep: Sequence[str] = (),
    ) -> None:
        """Take the messages of a transcript. `query`: words for which sentences are kept, besides the names in the
        newest messages. `pairing`: the pairing of the messages, if it is known. `keep`: patterns of lines that stay
        before all other lines of their message."""
        self.messages = messages
        self._kept_lines = KeptLines(keep, count)
        self._has_kept_lines: dict[PartIndex, bool] = {}
        self._query = query
        self._keywords: Keywords | None = None
        self.count = count
        # each of these is counted once, however often a group is rendered
        self._arguments: dict[tuple[str, int], Shortened] = {}
        self._requests: dict[tuple[int, int, int], Shortened | None] = {}
        self._rate_echo = echo_rater(messages, query)
        self._name_sizes: dict[str, int] = {}
        self._prompts: dict[str, SentenceChoice] = {}
        self._agent_summaries: dict[str, AgentSummary] = {}
        self._relevant_lines = RelevantLines(messages, pairing)

    def shorten(self, group: Group, cut: Cut, reason: str, exempt: frozenset[int] = frozenset()) -> Decision:
        """Return the decision with the parts of a group cut. Messages in `exempt` stay as they are."""
        edits = []
        saved = 0
        for index in group.messages:
            if index in exempt:
                continue
            for position, part in enumerate(self.messages[index].parts):
                short = self._cut((index, position), cut) if _can_shrink(part, cut) else None
                if short is not None and short.tokens < part.tokens:
                    edits.append(Edit(index, position, short.text, short.tokens))
                    saved += part.tokens - short.tokens
        return Decision.with_edits(group, edits, saved, reason)

    def tokens(self, group: Group, cut: Cut) -> int:
        """Return the tokens of the group after a cut. Most groups have nothing to cut."""
        if any(_can_shrink(part, cut) for index in group.messages for part in self.messages[index].parts):
            return self.shorten(group, cut, "").tokens
        return group.tokens

    def _cut(self, location: PartIndex, cut: Cut) -> Shortened | None:
        """Return a part of a message, cut, or None if the cut does not apply.

        A request keeps its binding sentences or, like a system prompt, its opening if no sentence fits. An answer also
        keeps its end, and a summary most of its end, which says what is pending and what comes next."""
        message = self.messages[location[0]]
        part = message.parts[location[1]]
        if self._keeps_lines(location) and (short := self._cut_around_kept(location, part, cut)):
            return short
        if part.kind == "tool_result" and cut.outputs is not None:
            text, tokens = self._with_image_note(part, cut.outputs)
            find_lines = partial(self._relevant_lines.lines, location)
            return shorten_output(
                text, tokens, cut.outputs, self.count, part.failed, original=part.text, select_lines=find_lines
            )
        if part.kind == "tool_call" and cut.arguments is not None:
            name_tokens = self._name_tokens(part.name)
            key = (part.text, cut.arguments)
            short = self._arguments.get(key)
            if short is None:
                tokens = part.tokens - name_tokens
                short = self._arguments[key] = shorten_arguments(part.text, tokens, cut.arguments, self.count)
            return Shortened(short.text, short.tokens + name_tokens)
        if part.kind == "text" and cut.prose is not None:
            if message.origin == "request" and (short := self._request(location, part, cut.prose)):
                return short
            return shorten_to(part.text, part.tokens, cut.prose, self.count, self._chooser(location, part))
        if part.kind == "image" and cut.images:
            return Shortened(IMAGE_NOTE, self.count(IMAGE_NOTE))
        return None

    def _with_image_note(self, part: Part, limit: int) -> tuple[str, int]:
        """Return the text of a result to cut, and its tokens. A result with pictures gets a note about them."""
        if not part.images or part.tokens <= limit:
            return part.text, part.tokens
        text = f"{part.text}\n{IMAGE_NOTE}".strip()
        return text, self.count(text)

    def _chooser(self, location: PartIndex, part: Part) -> Callable[[int], list[Span]]:
        """Return a function that chooses the sentences of a text to keep in a given number of characters."""
        message = self.messages[location[0]]
        if is_agent_summary(part.text) and message.origin in ("summary", "injected"):
            return self.agent_summary(message, part).choose_spans
        if message.role == "system" and message.origin != "summary":
            return self._prompt(part.text).choose_spans
        keywords, preferred = self._newest_keywords(), self._preferred(message, part)
        return lambda room: kept_sentences(part.text, room, keywords, preferred)

    def _preferred(self, message: Message, part: Part) -> Preference:
        """Return which sentences of a text come before the others."""
        is_summary = message.origin == "summary"
        is_answer = message.role == "assistant" and not is_summary
        return Preference(
            opening=is_answer or is_summary or message.origin == "request",
            closing=is_answer,
            ending=_SUMMARY_END_SHARE if is_summary else 0.0,
        )

    def _keeps_lines(self, location: PartIndex) -> bool:
        """Return whether a part has lines that `--keep` matches, and can be cut."""
        if location not in self._has_kept_lines:
            self._has_kept_lines[location] = self._kept_lines.can_keep_in(self.messages[location[0]].parts[location[1]])
        return self._has_kept_lines[location]

    def _cut_around_kept(self, location: PartIndex, part: Part, cut: Cut) -> Shortened | None:
        """Return a part with such lines, cut so that these stay before all its other lines."""
        if part.kind == "tool_result" and cut.outputs is not None:
            limit = max(cut.outputs, self._min_kept_tokens(part, cut.kept))
            text, tokens = self._with_image_note(part, cut.outputs)
            return self._kept_lines.cut_output(part, text, tokens, limit, IMAGE_NOTE if text != part.text else "")
        if part.kind == "tool_call" and cut.arguments is not None:
            name_tokens = self._name_tokens(part.name)
            short = self._kept_lines.cut_arguments(part, part.tokens - name_tokens, cut.arguments, cut.kept)
            return Shortened(short.text, short.tokens + name_tokens)
        if part.kind == "text" and cut.prose is not None:
            limit = max(cut.prose, self._min_kept_tokens(part, cut.kept))
            return self._kept_lines.cut_prose(part, limit, self._chooser(location, part))
        return None

    def _min_kept_tokens(self, part: Part, share: float) -> int:
        return int(share * self._kept_lines.min_tokens(part)) if share else 0

    def _request(self, location: PartIndex, part: Part, limit: int) -> Shortened | None:
        key = (*location, limit)
        if key not in self._requests:
            request = Request(location[0], part.text)
            self._requests[key] = abridge_request(request, part.tokens, limit, self.count, self._rate_echo)
        return self._requests[key]

    def _newest_keywords(self) -> Keywords:
        """Return the names in the newest messages, and the words of the query."""
        if self._keywords is None:
            names = names_spoken_of(self.messages[-_NEWEST_MESSAGES:], _MAX_READ_CHARS)
            self._keywords = Keywords(names.union(self._query.split()))
        return self._keywords

    def _prompt(self, text: str) -> SentenceChoice:
        if text not in self._prompts:
            self._prompts[text] = choose_prompt_sentences(
                text, self._newest_keywords(), SubjectWords(self._subject_weights, text), rule_points
            )
        return self._prompts[text]

    def agent_summary(self, message: Message, part: Part) -> AgentSummary:
        """Return a summary that an agent had written of its session, which knows what comes first in it."""
        if part.text not in self._agent_summaries:
            followed = is_followed(self.messages, message.index)
            subject = SubjectWords(self._subject_weights, part.text)
            self._agent_summaries[part.text] = AgentSummary(part.text, subject, rule_points, is_followed=followed)
        return self._agent_summaries[part.text]

    @cached_property
    def _subject_weights(self) -> dict[str, float]:
        """The stems, with weights, of what the user asked for, above all in the newest request, and of called tools;
        with a lower weight those of the arguments of calls and of the newest messages."""
        spoken = [message for message in self.messages if message.role != "system"]
        calls = [call for message in spoken for call in message.calls]
        requests = [message.text("text") for message in spoken if message.origin == "request"]
        newest = (
            part.text[:_MAX_READ_CHARS]
            for message in spoken[-_NEWEST_MESSAGES:]
            for part in message.parts
            if part.kind == "text"
        )
        found = dict.fromkeys(chain.from_iterable(map(stems, newest)), _CONTEXT_WEIGHT)
        found |= dict.fromkeys(
            chain.from_iterable(stems(call.text[:_MAX_ARGUMENT_CHARS]) for call in calls), _CONTEXT_WEIGHT
        )
        found |= dict.fromkeys(chain.from_iterable(map(stems, (*requests, *{call.name for call in calls}))), 1.0)
        return found | dict.fromkeys(chain.from_iterable(map(stems, requests[-1:])), _IN_HAND)

    def _name_tokens(self, name: str) -> int:
        if name not in self._name_sizes:
            self._name_sizes[name] = self.count(name)
        return self._name_sizes[name]

    def sizes(self, groups: Iterable[Group], kind: str, exempt: frozenset[int] = frozenset()) -> list[int]:
        """Return the tokens of the parts of a kind that could be cut."""
        return [
            part.tokens
            for group in groups
            for index in group.messages
            if index not in exempt
            for part in self.messages[index].parts
            if part.kind == kind and part.place is not None and not part.edited
        ]

    def fit(
        self, groups: Sequence[Group], room: int, reason: str, *, prose: bool, exempt: frozenset[int] = frozenset()
    ) -> list[Decision] | None:
        """Return the groups in at most `room` tokens, cut as little as possible, or None if they cannot be made to fit.
        Outputs are cut first, then arguments, then (with `prose`) pictures and texts."""
        if sum(group.tokens for group in groups) <= room:
            return [Decision.whole(group, reason) for group in groups]
        for share in _KEPT_SHARES if self._keeps_any_line(groups, exempt) else (0.0,):
            fitted = self._fit(groups, room, reason, share, prose=prose, exempt=exempt)
            if fitted is not None:
                return fitted
        smallest = self.smallest(groups, reason, prose=prose, exempt=exempt)
        return smallest if sum(decision.tokens for decision in smallest) <= room else None

    def _keeps_any_line(self, groups: Iterable[Group], exempt: frozenset[int]) -> bool:
        indices = (index for group in groups for index in group.messages if index not in exempt)
        return any(self._keeps_lines((index, at)) for index in indices for at in range(len(self.messages[index].parts)))

    def _fit(
        self, groups: Sequence[Group], room: int, reason: str, kept: float, *, prose: bool, exempt: frozenset[int]
    ) -> list[Decision] | None:
        """Fit the groups into the room so that parts keep a share of the lines that `--keep` matches."""
        min_sizes = {kind: self._min_sizes(groups, kind, kept, exempt) for kind in ("tool_result", "text")}
        for arguments in (None, 400, 60):
            shortened = [self.shorten(group, Cut(arguments=arguments, kept=kept), reason, exempt) for group in groups]
            total = sum(decision.tokens for decision in shortened)
            limit = top_limit(self.sizes(groups, "tool_result", exempt), room - total, min_sizes["tool_result"])
            if limit is not None:
                return self._render(groups, Cut(limit, arguments, kept=kept), reason, exempt)
        if not prose:
            return None
        smallest = self._render(groups, Cut(MIN_TOKENS, 60, None, images=True, kept=kept), reason, exempt)
        total = sum(decision.tokens for decision in smallest)
        limit = top_limit(self.sizes(groups, "text", exempt), room - total, min_sizes["text"])
        if limit is None:
            return None
        return self._render(groups, Cut(MIN_TOKENS, 60, limit, images=True, kept=kept), reason, exempt)

    def _min_sizes(self, groups: Iterable[Group], kind: str, share: float, exempt: frozenset[int]) -> list[int]:
        """Return the minimum tokens of parts of a kind that keep a share of the lines that `--keep` matches."""
        spots = (
            (index, position, part)
            for group in groups
            for index in group.messages
            if index not in exempt
            for position, part in enumerate(self.messages[index].parts)
            if part.kind == kind
        )
        return [
            self._min_kept_tokens(part, share) for index, at, part in spots if share and self._keeps_lines((index, at))
        ]

    def smallest(
        self, groups: Sequence[Group], reason: str, *, prose: bool, exempt: frozenset[int] = frozenset()
    ) -> list[Decision]:
        """Return the groups cut as small as possible."""
        return self._render(groups, Cut(MIN_TOKENS, 60, MIN_TOKENS if prose else None, images=prose), reason, exempt)

    def _render(self, groups: Sequence[Group], cut: Cut, reason: str, exempt: frozenset[int]) -> list[Decision]:
        return [self.shorten(group, cut, reason, exempt) for group in groups]


def _can_shrink(part: Part, cut: Cut) -> bool:
    """Return whether a cut can make a part smaller, judged without reading its text."""
    if part.place is None or part.edited:
        return False
    if part.kind == "tool_result":
        return cut.outputs is not None and part.tokens > cut.outputs
    if part.kind == "tool_call":
        return cut.arguments is not None and part.tokens > MIN_TOKENS and len(part.text) > cut.arguments
    if part.kind == "text":
        return cut.prose is not None and part.tokens > cut.prose
    return part.kind == "image" and cut.images


def top_limit(sizes: Sequence[int], room: int, min_sizes: Sequence[int] = ()) -> int | None:
    """Return the highest limit to which all `sizes` can be cut so that enough is saved: sum(min(size, limit)) must not
    exceed sum(sizes) + room (room is negative by the tokens to save). Return None if that is below SMALLEST.
    `min_sizes`: minimum tokens of some of them, however low the limit is."""
    ordered = sorted(sizes)
    below = [0, *accumulate(ordered)]
    allowed = below[-1] + room

    def cost(limit: int) -> int:
        index = bisect_right(ordered, limit)
        excess = sum(each - limit for each in min_sizes if each > limit)
        return below[index] + limit * (len(ordered) - index) + excess

    if cost(MIN_TOKENS) > allowed:
        return None
    low, high = MIN_TOKENS, max([MIN_TOKENS, *ordered[-1:]])
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= allowed else (low, middle - 1)
    return low


def newest_tokens(room: int) -> float:
    """Return the tokens of a room for the newest exchanges, whatever else is worth keeping."""
    return share_of(room, _NEWEST_SMALL_SHARE, _NEWEST_SHARE)


def count_fitting(renderer: Renderer, groups: Sequence[Group], room: int) -> int:
    """Return how many of the newest groups fit if each output keeps up to `COMFORT_TOKENS`."""
    count, used_tokens = 0, 0
    for group in reversed(groups):
        used_tokens += max_size(renderer, group, COMFORT_TOKENS)
        if used_tokens > room:
            break
        count += 1
    return count


def fit_newest(
    renderer: Renderer, groups: Sequence[Group], room: int, count: int, reason: str
) -> tuple[list[Decision], list[Group]]:
    """Return the `count` newest groups, or as many of them as fit with their outputs cut, and the other groups. If only
    the very last one is left, its texts may be cut too."""
    for size in range(max(count, 1), 0, -1):
        newest = groups[len(groups) - size :]
        fitted = renderer.fit(newest, room, reason, prose=size == 1)
        if fitted is not None:
            return fitted, list(groups[: len(groups) - size])
    return [], list(groups)


def max_size(renderer: Renderer, group: Group, limit: int) -> int:
    """Return an upper bound of the tokens of a group with its outputs cut to a limit, without counting."""
    if group.tokens <= limit:
        return group.tokens
    return group.tokens - sum(max(0, size - limit) for size in renderer.sizes([group], "tool_result"))
