"""Warnings about what a run had to shorten although it is kept whole whenever the target allows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from msgspec import Struct

from compactor_cli.model.message import CLOSING_ID, Message, by_index
from compactor_cli.model.plan import Plan
from compactor_cli.model.talking import telling_requests
from compactor_cli.pipeline.protect import summary_of_first_request
from compactor_cli.strategies.shared.kept_lines import matches
from compactor_cli.strategies.shared.protected import HELD_BACK
from compactor_cli.summary_text.excerpts import harmless, quoted_parts, speaker_of

_REMEDY = "a larger target keeps it whole"
_GONE = "was left out"
_NAMED = 8
"""Maximum number of messages that a warning lists."""
_LARGE = 0.1
"""Share of the output from which matches of `--keep` may have crowded out requests."""


class ToKeep(Struct, frozen=True):
    """What should be kept whole."""

    keep: Sequence[re.Pattern[str]] = ()
    keep_last: int = 0
    needs: Callable[[], int] = int
    """Returns the tokens of everything that is kept whole as long as the target allows, including what is always
    kept. Few warnings need it."""
    count: Callable[[str], int] = len


def shortened_warnings(
    messages: Sequence[Message], output: Sequence[Message], plan: Plan, asked: ToKeep
) -> tuple[str, ...]:
    """Return warnings about messages that were cut: system prompts, the first and last request of the user, matches
    of `--keep`, and newest messages that should be kept. A further warning says how many requests the matches
    crowded out."""
    found = _Found(messages, output, plan, asked)
    return (*found.of_prompts_and_requests(), *found.of_matches(), *found.of_newest(), *found.of_what_matches_cost())


class _Found:
    """A transcript compared with its output."""

    def __init__(self, messages: Sequence[Message], output: Sequence[Message], plan: Plan, asked: ToKeep) -> None:
        self.messages, self.asked = messages, asked
        self.output, self.out = output, by_index(output)
        self.quotes = {quote.message: quote for slot in plan.slots for quote in slot.quotes}

    @cached_property
    def _summaries(self) -> list[str]:
        return [message.text("text") for message in self.output if message.origin == "summary"]

    @cached_property
    def _said(self) -> str:
        """The words of the summaries, with white space normalized."""
        return " ".join(_words(text) for text in self._summaries)

    def of_prompts_and_requests(self) -> Iterable[str]:
        """Yield warnings about system prompts and the session's first and last request, if they were cut."""
        requests = telling_requests(self.messages)
        first = min((m.index for m in requests), default=None)
        if summary_of_first_request(self.messages) is not None:
            first = None  # an earlier round repeats the session's first request
        last = max((m.index for m in self.messages if m.origin == "request"), default=None)
        names = {first: "the user's first request", last: "the user's last request"}
        for message in self.messages:
            name = "the system prompt" if message.role == "system" else names.get(message.index)
            if name and not self._has_its_words(message) and (sizes := self._sizes(message)):
                became = f"was shortened from {sizes}" if sizes != _GONE else _GONE
                yield f"{name} (message {message.number}) {became}: {_REMEDY}"

    def _has_its_words(self, message: Message) -> bool:
        """Return whether only the tool results next to the user's words can have been cut."""
        now = self.out.get(message.index)
        return bool(message.results) and now is not None and now.text("text") == message.text("text")

    def of_matches(self) -> Iterable[str]:
        """Yield a warning if messages that match `--keep` were cut, with the number of matches that are gone."""
        cut = [message for message in self._matching if not self._is_whole(message)]
        if cut:
            before = [self._matches(part.text for part in message.parts) for message in cut]
            now = [self._matches(self._shown(message)) for message in cut]
            had = sum(found.total() for found in before)
            gone = sum((found - left).total() for found, left in zip(before, now, strict=True))
            which = f"{len(cut):,} of {len(self._matching):,} messages that match --keep"
            which = "the message that matches --keep" if _one(self._matching) else which
            lost = f", without {gone:,} of {had:,} matches" if gone else ", with every match"
            yield self._warning(which, cut, lost)

    def of_newest(self) -> Iterable[str]:
        """Yield a warning if some of the newest messages that should be kept were cut."""
        own = [message for message in self.messages if message.id != CLOSING_ID]
        newest = own[len(own) - self.asked.keep_last :] if self.asked.keep_last else []
        known = {message.index for message in self._matching}
        told = [m for m in newest if m.records and m.origin != "summary" and m.index not in known]
        if cut := [message for message in told if not self._is_whole(message)]:
            yield self._warning(f"{len(cut):,} of the last {len(newest):,} messages (--keep-last)", cut, "")

    def of_what_matches_cost(self) -> Iterable[str]:
        """Yield a warning with the share of `--keep` matches in the output, if it is large and requests were cut."""
        tokens, total = sum(map(self._tokens_now, self._matching)), sum(m.tokens for m in self.output)
        if not tokens or tokens < _LARGE * total:
            return
        known = {message.index for message in self._matching}
        requests = [m for m in self.messages if m.origin == "request" and m.index not in known]
        if cut := [message for message in requests if not self._is_whole(message)]:
            yield (
                f"matches of --keep take {tokens:,} of the {total:,} tokens of the output, and {len(cut):,} of "
                f"{len(requests):,} other user requests ({_numbers(cut)}) are not whole; keep less, or use a larger "
                "target"
            )

    @cached_property
    def _matching(self) -> list[Message]:
        patterns = self.asked.keep
        messages = self.messages if patterns else ()
        return [m for m in messages if m.records and any(p.search(part.text) for p in patterns for part in m.parts)]

    def _matches(self, texts: Iterable[str]) -> Counter[str]:
        """Return each text that `--keep` matches, with its number of occurrences."""
        return Counter(text[start:end] for text in texts for start, end in matches(self.asked.keep, text))

    def _warning(self, which: str, cut: Sequence[Message], lost: str) -> str:
        before = sum(message.tokens for message in cut)
        after = sum(map(self._tokens_now, cut))
        needs = self.asked.needs() + HELD_BACK
        return (
            f"{which} {'was' if _one(cut) else 'were'} shortened ({_numbers(cut)}), from {before:,} to {after:,} "
            f"tokens{lost}; a target of {needs:,} tokens keeps {'it' if _one(cut) else 'them'} whole"
        )

    def _is_whole(self, message: Message) -> bool:
        return not self._sizes(message)

    def _sizes(self, message: Message) -> str:
        """Return a phrase that says from which size to which a message was shortened, or that it was left out. Empty
        if it is whole, including in a summary."""
        now = self.out.get(message.index)
        if now is not None:
            return f"{message.tokens:,} to {now.tokens:,} tokens" if _is_cut(message, now) else ""
        text = message.text("text").strip()
        quote = self.quotes.get(message.index)
        if _words(text) in (_words(quote.text) if quote else self._said):
            return ""
        shown = sum(map(len, self._shown(message)))
        return f"{len(text):,} to {shown:,} characters" if shown else _GONE

    def _shown(self, message: Message) -> Sequence[str]:
        """Return the texts that the output contains of a message, at its place or in summaries."""
        if message.index in self.out:
            return [part.text for part in self.out[message.index].parts]
        if message.index in self.quotes:
            return [self.quotes[message.index].text]
        return [
            text[part.start : part.end]
            for text in self._summaries
            for part in quoted_parts(text)
            if (speaker := speaker_of(part.heading)) and speaker.message == message.number
        ]

    def _tokens_now(self, message: Message) -> int:
        now = self.out.get(message.index)
        return now.tokens if now else sum(map(self.asked.count, self._shown(message)))


def _words(text: str) -> str:
    return " ".join(harmless(text).split())


def _is_cut(before: Message, after: Message) -> bool:
    """Return whether this run shortened a message, comparing texts, because repairs edit parts as well."""
    return any(new.text != old.text for old, new in zip(before.parts, after.parts, strict=False))


def _one(messages: Sequence[Message]) -> bool:
    return len(messages) == 1


def _numbers(messages: Sequence[Message]) -> str:
    """Return the numbers of messages; if there are many, only the first ones."""
    shown = ", ".join(str(message.number) for message in messages[:_NAMED])
    more = f" and {len(messages) - _NAMED:,} more" if len(messages) > _NAMED else ""
    return f"message{'s' * (len(messages) > 1)} {shown}{more}"
