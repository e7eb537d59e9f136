"""Warnings about what a run had to shorten although it is kept whole whenever the target allows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from compactor_cli.model.message import CLOSING_ID, Message, by_index
from compactor_cli.model.plan import Plan, Quote
from compactor_cli.model.talking import substantial_requests
from compactor_cli.pipeline.protect import summary_of_first_request
from compactor_cli.strategies.shared.kept_lines import find_matches
from compactor_cli.strategies.shared.protected import SUMMARY_RESERVE_TOKENS
from compactor_cli.summary_text.excerpts import harmless, quoted_parts, speaker_of

_REMEDY = "a larger target keeps it whole"
_LEFT_OUT = "was left out"
_MAX_LISTED = 8
_MIN_MATCH_SHARE = 0.1


class OutputComparison(Struct, frozen=True, dict=True):
    """A transcript compared with its output."""

    messages: Sequence[Message]
    output: Sequence[Message]
    plan: Plan
    keep: Sequence[re.Pattern[str]]
    keep_last: int
    required_tokens: Callable[[], int]
    """Returns the tokens of everything that is kept whole as long as the target allows. Few warnings need it."""
    count: Callable[[str], int]

    def warnings(self) -> Iterator[str]:
        """Yield warnings about messages that were cut although they should be kept whole."""
        yield from self._warn_about_requests()
        yield from self._warn_about_matches()
        yield from self._warn_about_newest()
        yield from self._warn_about_match_cost()

    @cached_property
    def _by_index(self) -> dict[int, Message]:
        return by_index(self.output)

    @cached_property
    def _quotes(self) -> dict[int | None, Quote]:
        return {quote.message: quote for slot in self.plan.slots for quote in slot.quotes}

    @cached_property
    def _summaries(self) -> list[str]:
        return [message.text("text") for message in self.output if message.origin == "summary"]

    @cached_property
    def _summary_words(self) -> str:
        """The words of the summaries, with white space normalized."""
        return " ".join(_normalize(text) for text in self._summaries)

    def _warn_about_requests(self) -> Iterable[str]:
        """Yield warnings about system prompts and the session's first and last request, if they were cut."""
        requests = substantial_requests(self.messages)
        first = min((m.index for m in requests), default=None)
        if summary_of_first_request(self.messages) is not None:
            first = None  # an earlier round repeats the session's first request
        last = max((m.index for m in self.messages if m.origin == "request"), default=None)
        names = {first: "the user's first request", last: "the user's last request"}
        for message in self.messages:
            name = "the system prompt" if message.role == "system" else names.get(message.index)
            if name and not self._has_its_words(message) and (sizes := self._sizes(message)):
                change = f"was shortened from {sizes}" if sizes != _LEFT_OUT else _LEFT_OUT
                yield f"{name} (message {message.number}) {change}: {_REMEDY}"

    def _has_its_words(self, message: Message) -> bool:
        """Return whether only the tool results next to the user's words can have been cut."""
        now = self._by_index.get(message.index)
        return bool(message.results) and now is not None and now.text("text") == message.text("text")

    def _warn_about_matches(self) -> Iterable[str]:
        """Yield a warning if messages that match `--keep` were cut, with the number of matches that are gone."""
        cut = [message for message in self._matching if self._sizes(message)]
        if cut:
            counts_before = [self._count_matches(part.text for part in message.parts) for message in cut]
            counts_after = [self._count_matches(self._output_texts(message)) for message in cut]
            matches_before = sum(found.total() for found in counts_before)
            matches_lost = sum((found - left).total() for found, left in zip(counts_before, counts_after, strict=True))
            subject = f"{len(cut):,} of {len(self._matching):,} messages that match --keep"
            subject = "the message that matches --keep" if len(self._matching) == 1 else subject
            loss_text = (
                f", without {matches_lost:,} of {matches_before:,} matches" if matches_lost else ", with every match"
            )
            yield self._warning(subject, cut, loss_text)

    def _warn_about_newest(self) -> Iterable[str]:
        """Yield a warning if some of the newest messages that should be kept were cut."""
        real_messages = [message for message in self.messages if message.id != CLOSING_ID]
        newest = real_messages[len(real_messages) - self.keep_last :] if self.keep_last else []
        matching = {message.index for message in self._matching}
        others = [m for m in newest if m.records and m.origin != "summary" and m.index not in matching]
        if cut := [message for message in others if self._sizes(message)]:
            yield self._warning(f"{len(cut):,} of the last {len(newest):,} messages (--keep-last)", cut, "")

    def _warn_about_match_cost(self) -> Iterable[str]:
        """Yield a warning with the share of `--keep` matches in the output, if it is large and requests were cut."""
        tokens, total = sum(map(self._output_tokens, self._matching)), sum(m.tokens for m in self.output)
        if not tokens or tokens < _MIN_MATCH_SHARE * total:
            return
        matching = {message.index for message in self._matching}
        requests = [m for m in self.messages if m.origin == "request" and m.index not in matching]
        if cut := [message for message in requests if self._sizes(message)]:
            yield (
                f"matches of --keep take {tokens:,} of the {total:,} tokens of the output, and {len(cut):,} of "
                f"{len(requests):,} other user requests ({_list_numbers(cut)}) are not whole; keep less, or use a "
                "larger target"
            )

    @cached_property
    def _matching(self) -> list[Message]:
        messages = self.messages if self.keep else ()
        return [m for m in messages if m.records and any(p.search(part.text) for p in self.keep for part in m.parts)]

    def _count_matches(self, texts: Iterable[str]) -> Counter[str]:
        """Return each text that `--keep` matches, with its number of occurrences."""
        return Counter(text[start:end] for text in texts for start, end in find_matches(self.keep, text))

    def _warning(self, subject: str, cut: Sequence[Message], loss_text: str) -> str:
        before = sum(message.tokens for message in cut)
        after = sum(map(self._output_tokens, cut))
        required_tokens = self.required_tokens() + SUMMARY_RESERVE_TOKENS
        were, them = ("was", "it") if len(cut) == 1 else ("were", "them")
        return (
            f"{subject} {were} shortened ({_list_numbers(cut)}), from {before:,} to {after:,} tokens{loss_text}; a "
            f"target of {required_tokens:,} tokens keeps {them} whole"
        )

    def _sizes(self, message: Message) -> str:
        """Return how far a message was shortened, or that it was left out; empty if it is whole."""
        output_message = self._by_index.get(message.index)
        if output_message is not None:
            # texts are compared, because repairs edit parts as well
            pairs = zip(message.parts, output_message.parts, strict=False)
            is_shortened = any(new.text != old.text for old, new in pairs)
            return f"{message.tokens:,} to {output_message.tokens:,} tokens" if is_shortened else ""
        text = message.text("text").strip()
        quote = self._quotes.get(message.index)
        if _normalize(text) in (_normalize(quote.text) if quote else self._summary_words):
            return ""
        shown_chars = sum(map(len, self._output_texts(message)))
        return f"{len(text):,} to {shown_chars:,} characters" if shown_chars else _LEFT_OUT

    def _output_texts(self, message: Message) -> Sequence[str]:
        """Return the texts that the output contains of a message, at its place or in summaries."""
        if message.index in self._by_index:
            return [part.text for part in self._by_index[message.index].parts]
        if message.index in self._quotes:
            return [self._quotes[message.index].text]
        return [
            text[part.start : part.end]
            for text in self._summaries
            for part in quoted_parts(text)
            if (speaker := speaker_of(part.heading)) and speaker.message == message.number
        ]

    def _output_tokens(self, message: Message) -> int:
        output_message = self._by_index.get(message.index)
        return output_message.tokens if output_message else sum(map(self.count, self._output_texts(message)))


def _normalize(text: str) -> str:
    return " ".join(harmless(text).split())


def _list_numbers(messages: Sequence[Message]) -> str:
    """Return the numbers of messages; if there are many, only the first ones."""
    shown = ", ".join(str(message.number) for message in messages[:_MAX_LISTED])
    more = f" and {len(messages) - _MAX_LISTED:,} more" if len(messages) > _MAX_LISTED else ""
    return f"message{'s' * (len(messages) > 1)} {shown}{more}"
