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
from compactor_cli.model.injected import is_account
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.replies import reply_to
from compactor_cli.strategies.shared.asked import Asked
from compactor_cli.strategies.shared.kept_lines import KeptLines
from compactor_cli.strategies.shared.request_values import taken_up_in
from compactor_cli.strategies.shared.requests import Request, abridge_request
from compactor_cli.strategies.shared.rooms import is_followed, share_of
from compactor_cli.text.account_parts import Account
from compactor_cli.text.chosen import Chosen
from compactor_cli.text.kept_sections import prompt
from compactor_cli.text.kept_sentences import Keywords, Preferred, kept_sentences
from compactor_cli.text.picked_items import picked_items
from compactor_cli.text.section_headings import Span
from compactor_cli.text.shorten import IMAGE_NOTE, SMALLEST, Short, shorten_arguments, shorten_output, shorten_to
from compactor_cli.text.subjects import SubjectWords, stems

_NEWEST = 20
"""Number of newest messages whose names say what is being worked on."""
_END_OF_SUMMARY = 0.6
"""Share of a cut summary that its end gets."""
_READ = 20_000
"""Maximum characters of a text to search for names."""
_ARGUMENTS = 400
"""Characters of the arguments of a call that say what was done."""
_BESIDE = 0.4
"""Weight of a word in the arguments of calls or in the newest messages, relative to a word of the user."""
_IN_HAND = 2.0
"""Weight of a word in the newest request."""
_KEPT = (1.0, 0.5, 0.25, 0.0)
"""Shares of the lines that `--keep` matches to make room for, tried one after the other."""
COMFORT = 300
"""Tokens that a recent output keeps before older exchanges are dropped for it."""
_NEWEST_OF_SMALL, _NEWEST_SHARE = 0.15, 0.30
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
        self._keeping: dict[Spot, bool] = {}
        self._query = query
        self._keywords: Keywords | None = None
        self.count = count
        # each of these is counted once, however often a group is rendered
        self._arguments: dict[tuple[str, int], Short] = {}
        self._requests: dict[tuple[int, int, int], Short | None] = {}
        self._taken_up = taken_up_in(messages, query)
        self._names: dict[str, int] = {}
        self._prompts: dict[str, Chosen] = {}
        self._accounts: dict[str, Account] = {}
        self._asked = Asked(messages, pairing)

    def shortened(self, group: Group, cut: Cut, reason: str, spare: frozenset[int] = frozenset()) -> Decision:
        """Return the decision with the parts of a group cut. Messages in `spare` stay as they are."""
        edits = []
        saved = 0
        for index in group.messages:
            if index in spare:
                continue
            for position, part in enumerate(self.messages[index].parts):
                short = self._cut((index, position), cut) if _reaches(part, cut) else None
                if short is not None and short.tokens < part.tokens:
                    edits.append(Edit(index, position, short.text, short.tokens))
                    saved += part.tokens - short.tokens
        return Decision.with_edits(group, edits, saved, reason)

    def tokens(self, group: Group, cut: Cut) -> int:
        """Return the tokens of the group after a cut. Most groups have nothing to cut."""
        if any(_reaches(part, cut) for index in group.messages for part in self.messages[index].parts):
            return self.shortened(group, cut, "").tokens
        return group.tokens

    def _cut(self, spot: Spot, cut: Cut) -> Short | None:
        """Return a part of a message, cut, or None if the cut does not apply.

        A request keeps its binding sentences or, like a system prompt, its opening if no sentence fits. An answer also
        keeps its end, and a summary most of its end, which says what is pending and what comes next."""
        message = self.messages[spot[0]]
        part = message.parts[spot[1]]
        if self._keeps_lines(spot) and (short := self._around_kept(spot, part, cut)):
            return short
        if part.kind == "tool_result" and cut.outputs is not None:
            text, tokens = self._noted(part, cut.outputs)
            asked = partial(self._asked.lines, spot)
            return shorten_output(text, tokens, cut.outputs, self.count, part.failed, original=part.text, asked=asked)
        if part.kind == "tool_call" and cut.arguments is not None:
            name_tokens = self._name(part.name)
            key = (part.text, cut.arguments)
            short = self._arguments.get(key)
            if short is None:
                tokens = part.tokens - name_tokens
                short = self._arguments[key] = shorten_arguments(part.text, tokens, cut.arguments, self.count)
            return Short(short.text, short.tokens + name_tokens)
        if part.kind == "text" and cut.prose is not None:
            if message.origin == "request" and (short := self._request(spot, part, cut.prose)):
                return short
            return shorten_to(part.text, part.tokens, cut.prose, self.count, self._chooser(spot, part))
        if part.kind == "image" and cut.images:
            return Short(IMAGE_NOTE, self.count(IMAGE_NOTE))
        return None

    def _noted(self, part: Part, limit: int) -> tuple[str, int]:
        """Return the text of a result to cut, and its tokens. A result with pictures gets a note about them."""
        if not part.images or part.tokens <= limit:
            return part.text, part.tokens
        text = f"{part.text}\n{IMAGE_NOTE}".strip()
        return text, self.count(text)

    def _chooser(self, spot: Spot, part: Part) -> Callable[[int], list[Span]]:
        """Return a function that chooses the sentences of a text to keep in a given number of characters."""
        message = self.messages[spot[0]]
        if is_account(part.text) and message.origin in ("summary", "injected"):
            return self.account(message, part).kept
        if message.role == "system" and message.origin != "summary":
            return self._prompt(part.text).kept
        words, preferred = self._words(), self._preferred(message, part)
        return lambda room: kept_sentences(part.text, room, words, preferred)

    def _preferred(self, message: Message, part: Part) -> Preferred:
        """Return which sentences of a text come before the others."""
        sums_up = message.origin == "summary"
        answer = message.role == "assistant" and not sums_up
        return Preferred(
            opening=answer or sums_up or message.origin == "request",
            closing=answer,
            ending=_END_OF_SUMMARY if sums_up else 0.0,
            picked=tuple(picked_items(part.text, reply_to(self.messages, message.index))) if answer else (),
        )

    def _keeps_lines(self, spot: Spot) -> bool:
        """Return whether a part has lines that `--keep` matches, and can be cut."""
        if spot not in self._keeping:
            self._keeping[spot] = self._kept_lines.are_in(self.messages[spot[0]].parts[spot[1]])
        return self._keeping[spot]

    def _around_kept(self, spot: Spot, part: Part, cut: Cut) -> Short | None:
        """Return a part with such lines, cut so that these stay before all its other lines."""
        if part.kind == "tool_result" and cut.outputs is not None:
            limit = max(cut.outputs, self._least_kept(part, cut.kept))
            text, tokens = self._noted(part, cut.outputs)
            return self._kept_lines.of_output(part, text, tokens, limit, IMAGE_NOTE if text != part.text else "")
        if part.kind == "tool_call" and cut.arguments is not None:
            name = self._name(part.name)
            short = self._kept_lines.of_arguments(part, part.tokens - name, cut.arguments, cut.kept)
            return Short(short.text, short.tokens + name)
        if part.kind == "text" and cut.prose is not None:
            limit = max(cut.prose, self._least_kept(part, cut.kept))
            return self._kept_lines.of_prose(part, limit, self._chooser(spot, part))
        return None

    def _least_kept(self, part: Part, share: float) -> int:
        return int(share * self._kept_lines.least(part)) if share else 0

    def _request(self, spot: Spot, part: Part, limit: int) -> Short | None:
        key = (*spot, limit)
        if key not in self._requests:
            request = Request(spot[0], part.text)
            self._requests[key] = abridge_request(request, part.tokens, limit, self.count, self._taken_up)
        return self._requests[key]

    def _words(self) -> Keywords:
        """Return the names in the newest messages, and the words of the query."""
        if self._keywords is None:
            names = names_spoken_of(self.messages[-_NEWEST:], _READ)
            self._keywords = Keywords(names.union(self._query.split()))
        return self._keywords

    def _prompt(self, text: str) -> Chosen:
        if text not in self._prompts:
            self._prompts[text] = prompt(text, self._words(), SubjectWords(self._spoken_of, text), rule_points)
        return self._prompts[text]

    def account(self, message: Message, part: Part) -> Account:
        """Return a summary that an agent had written of its session, which knows what comes first in it."""
        if part.text not in self._accounts:
            followed = is_followed(self.messages, message.index)
            subject = SubjectWords(self._spoken_of, part.text)
            self._accounts[part.text] = Account(part.text, subject, rule_points, followed=followed)
        return self._accounts[part.text]

    @cached_property
    def _spoken_of(self) -> dict[str, float]:
        """The stems, with weights, of what the user asked for, above all in the newest request, and of called tools;
        with a lower weight those of the arguments of calls and of the newest messages."""
        spoken = [message for message in self.messages if message.role != "system"]
        calls = [call for message in spoken for call in message.calls]
        requests = [message.text("text") for message in spoken if message.origin == "request"]
        newest = (part.text[:_READ] for message in spoken[-_NEWEST:] for part in message.parts if part.kind == "text")
        found = dict.fromkeys(chain.from_iterable(map(stems, newest)), _BESIDE)
        found |= dict.fromkeys(chain.from_iterable(stems(call.text[:_ARGUMENTS]) for call in calls), _BESIDE)
        found |= dict.fromkeys(chain.from_iterable(map(stems, (*requests, *{call.name for call in calls}))), 1.0)
        return found | dict.fromkeys(chain.from_iterable(map(stems, requests[-1:])), _IN_HAND)

    def _name(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = self.count(name)
        return self._names[name]

    def sizes(self, groups: Iterable[Group], kind: str, spare: frozenset[int] = frozenset()) -> list[int]:
        """Return the tokens of the parts of a kind that could be cut."""
        return [
            part.tokens
            for group in groups
            for index in group.messages
            if index not in spare
            for part in self.messages[index].parts
            if part.kind == kind and part.place is not None and not part.edited
        ]

    def fit(
        self, groups: Sequence[Group], room: int, reason: str, *, prose: bool, spare: frozenset[int] = frozenset()
    ) -> list[Decision] | None:
        """Return the groups in at most `room` tokens, cut as little as possible, or None if they cannot be made to fit.
        Outputs are cut first, then arguments, then (with `prose`) pictures and texts."""
        if sum(group.tokens for group in groups) <= room:
            return [Decision.whole(group, reason) for group in groups]
        for share in _KEPT if self._any_kept(groups, spare) else (0.0,):
            fitted = self._fit(groups, room, reason, share, prose=prose, spare=spare)
            if fitted is not None:
                return fitted
        smallest = self.smallest(groups, reason, prose=prose, spare=spare)
        return smallest if sum(decision.tokens for decision in smallest) <= room else None

    def _any_kept(self, groups: Iterable[Group], spare: frozenset[int]) -> bool:
        indices = (index for group in groups for index in group.messages if index not in spare)
        return any(self._keeps_lines((index, at)) for index in indices for at in range(len(self.messages[index].parts)))

    def _fit(
        self, groups: Sequence[Group], room: int, reason: str, kept: float, *, prose: bool, spare: frozenset[int]
    ) -> list[Decision] | None:
        """Fit the groups into the room so that parts keep a share of the lines that `--keep` matches."""
        least = {kind: self._least(groups, kind, kept, spare) for kind in ("tool_result", "text")}
        for arguments in (None, 400, 60):
            before = [self.shortened(group, Cut(arguments=arguments, kept=kept), reason, spare) for group in groups]
            total = sum(decision.tokens for decision in before)
            limit = level(self.sizes(groups, "tool_result", spare), room - total, least["tool_result"])
            if limit is not None:
                return self._render(groups, Cut(limit, arguments, kept=kept), reason, spare)
        if not prose:
            return None
        bare = self._render(groups, Cut(SMALLEST, 60, None, images=True, kept=kept), reason, spare)
        total = sum(decision.tokens for decision in bare)
        limit = level(self.sizes(groups, "text", spare), room - total, least["text"])
        if limit is None:
            return None
        return self._render(groups, Cut(SMALLEST, 60, limit, images=True, kept=kept), reason, spare)

    def _least(self, groups: Iterable[Group], kind: str, share: float, spare: frozenset[int]) -> list[int]:
        """Return the minimum tokens of parts of a kind that keep a share of the lines that `--keep` matches."""
        spots = (
            (index, position, part)
            for group in groups
            for index in group.messages
            if index not in spare
            for position, part in enumerate(self.messages[index].parts)
            if part.kind == kind
        )
        return [self._least_kept(part, share) for index, at, part in spots if share and self._keeps_lines((index, at))]

    def smallest(
        self, groups: Sequence[Group], reason: str, *, prose: bool, spare: frozenset[int] = frozenset()
    ) -> list[Decision]:
        """Return the groups cut as small as possible."""
        return self._render(groups, Cut(SMALLEST, 60, SMALLEST if prose else None, images=prose), reason, spare)

    def _render(self, groups: Sequence[Group], cut: Cut, reason: str, spare: frozenset[int]) -> list[Decision]:
        return [self.shortened(group, cut, reason, spare) for group in groups]


def _reaches(part: Part, cut: Cut) -> bool:
    """Return whether a cut can make a part smaller, judged without reading its text."""
    if part.place is None or part.edited:
        return False
    if part.kind == "tool_result":
        return cut.outputs is not None and part.tokens > cut.outputs
    if part.kind == "tool_call":
        return cut.arguments is not None and part.tokens > SMALLEST and len(part.text) > cut.arguments
    if part.kind == "text":
        return cut.prose is not None and part.tokens > cut.prose
    return part.kind == "image" and cut.images


def level(sizes: Sequence[int], room: int, least: Sequence[int] = ()) -> int | None:
    """Return the highest limit to which all `sizes` can be cut so that enough is saved: sum(min(size, limit)) must not
    exceed sum(sizes) + room (room is negative by the tokens to save). Return None if that is below SMALLEST. `least`:
    minimum tokens of some of them, however low the limit is."""
    ordered = sorted(sizes)
    below = [0, *accumulate(ordered)]
    allowed = below[-1] + room

    def cost(limit: int) -> int:
        index = bisect_right(ordered, limit)
        beyond = sum(each - limit for each in least if each > limit)
        return below[index] + limit * (len(ordered) - index) + beyond

    if cost(SMALLEST) > allowed:
        return None
    low, high = SMALLEST, max([SMALLEST, *ordered[-1:]])
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= allowed else (low, middle - 1)
    return low


def newest_share(room: int) -> float:
    """Return the tokens of a room for the newest exchanges, whatever else is worth keeping."""
    return share_of(room, _NEWEST_OF_SMALL, _NEWEST_SHARE)


def comfortable(renderer: Renderer, groups: Sequence[Group], room: int) -> int:
    """Return how many of the newest groups fit if each output keeps up to `COMFORT` tokens."""
    count, used = 0, 0
    for group in reversed(groups):
        used += bound(renderer, group, COMFORT)
        if used > room:
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


def bound(renderer: Renderer, group: Group, limit: int) -> int:
    """Return an upper bound of the tokens of a group with its outputs cut to a limit, without counting."""
    if group.tokens <= limit:
        return group.tokens
    return group.tokens - sum(max(0, size - limit) for size in renderer.sizes([group], "tool_result"))
