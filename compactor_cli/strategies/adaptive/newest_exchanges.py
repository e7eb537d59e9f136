"""The newest exchanges, which stay in place: what the agent was doing, and what it has to answer next."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from math import inf

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.task_lists import only_updates_list
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.injected import local_commands
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision
from compactor_cli.strategies.adaptive.in_place import SMALL_TOKENS, InPlaceRenderer
from compactor_cli.strategies.shared.renditions import newest_tokens, top_limit
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, share_of, tokens_between

_MAX_GROUPS = 40
"""Maximum number of newest groups that stay in place for being the newest."""
_MAX_LIST_GROUPS = 3
"""Maximum number of groups with calls about the task list that take no more than the list in the state."""
_MAX_WHOLE_TOKENS = 150
"""Maximum tokens of what the agent wrote in these groups to keep whole: its texts, and the arguments of calls."""
_TINY_LAST_SHARE, _SMALL_LAST_SHARE, _LARGE_LAST_SHARE = 1.0, 0.8, 0.55
"""Shares of a tiny, a small and a large room that the last exchange may take. In a few hundred tokens it holds most of
what says how to continue, and only the user's words fit next to it."""
_LARGE_WHOLE_SHARE = 0.3
"""Share of a large room up to which the agent's part stays as it is, with a line of each result."""
_CALL_SHARE = 0.25
"""Share of the room up to which a part of the agent stays whole if not everything fits."""
_ANSWER = 0.06
"""Share of the room up to which other words of the agent before a request stay whole: a report of its work says more
than the results that it worked with."""
_ANSWER_SHARE = 0.5
"""The same for an answer at the very end, which reports the outcome of the work."""
_TINY_ROOM = 100
"""Tokens up to which a room is tiny."""


class NewestExchanges:
    """Decides which groups stay in place for being the newest, and how much of them."""

    def __init__(
        self,
        messages: Sequence[Message],
        groups: Sequence[Group],
        renderer: InPlaceRenderer,
        room: int,
        *,
        summaries: Set[int] = frozenset(),
        decided: Mapping[int, Decision],
        limit: float = inf,
    ) -> None:
        """Choose among `groups`. `decided`: decisions that are already made for some of them. `summaries`: groups that
        never stay. `limit`: the maximum tokens for these groups."""
        self._messages, self._renderer, self._room = messages, renderer, room
        self._newest_limit = min(newest_tokens(room), limit)
        tiny_limit = tokens_between(room, (_TINY_ROOM, _TINY_LAST_SHARE), (SMALL_ROOM, _SMALL_LAST_SHARE))
        self._last_limit = min(
            tiny_limit if room < SMALL_ROOM else share_of(room, _SMALL_LAST_SHARE, _LARGE_LAST_SHARE), limit
        )
        own = local_commands(messages)
        self.local = frozenset(group.index for group in groups if own.issuperset(group.messages))
        """The groups of commands that a harness ran without the model. They are no exchange."""
        groups = [group for group in groups if group.index not in self.local]
        self.last_exchange = self._find_last_exchange(groups)
        self._last_whole_limit = self._last_exchange_limit()
        self._answers = {group.index for group in groups if self._is_answer(group)}
        self.in_place = self._choose(groups, summaries, decided)

    def whole_limit(self, group: int) -> int:
        """Return the tokens up to which what the agent wrote in a group stays whole."""
        if group in self.last_exchange:
            return self._last_whole_limit
        return max(_MAX_WHOLE_TOKENS, int(_ANSWER * self._room)) if group in self._answers else _MAX_WHOLE_TOKENS

    def render(self, group: Group, taken_lines: Collection[int], reason: str) -> Decision:
        """Return the decision on a group that stays in place with the lines that were taken."""
        return self._renderer.render(group, taken_lines, reason, self.whole_limit(group.index))

    def _is_answer(self, group: Group) -> bool:
        """Return whether a group is the agent's words before a request."""
        last = group.messages[-1]
        following = self._messages[last + 1 : last + 2]
        calls = any(self._messages[i].calls for i in group.messages)
        return not calls and any(message.origin == "request" for message in following)

    def _last_exchange_limit(self) -> int:
        """Return up to how many tokens the agent's texts and calls in the last exchange are kept whole.

        Everything is kept whole if it fits next to one line of each result. Otherwise each text and call gets an equal
        limit. The end of an answer always stays: without it, the request before it would look unanswered."""
        messages = [self._messages[i] for group in self.last_exchange.values() for i in group.messages]
        sizes = [part.tokens for message in messages if message.role == "assistant" for part in message.parts]
        needed = sum(
            self._renderer.render(group, (), "", max(sizes, default=0)).tokens for group in self.last_exchange.values()
        )
        if needed <= min(self._last_limit, share_of(self._room, 1.0, _LARGE_WHOLE_SHARE)):
            return max([_MAX_WHOLE_TOKENS, *sizes])
        has_calls = any(message.calls for message in messages)
        share = _CALL_SHARE if has_calls else _ANSWER_SHARE
        max_tokens = max(_MAX_WHOLE_TOKENS, int(share * self._room))
        return max(SMALL_TOKENS + 1, min(max_tokens, top_limit(sizes, int(self._last_limit) - needed) or 0))

    def pending_results(self, lines: SessionLines) -> Iterator[int]:
        """Yield the line numbers of the results in the last exchange, which the agent's next message answers."""
        for group in self.last_exchange.values():
            for index in group.messages:
                message = self._messages[index]
                for line in lines.of_message(index):
                    part = message.parts[lines.piece_at(line).part]
                    if part.kind == "tool_result" or message.origin == "injected":
                        yield line

    def _choose(self, groups: Sequence[Group], summaries: Set[int], decided: Mapping[int, Decision]) -> set[int]:
        """Return the newest groups, as long as they are cheap without the lines of their results."""
        used_tokens = sum(decision.tokens for decision in decided.values())
        chosen = set(decided)
        list_groups = self._task_list_groups(groups[-_MAX_GROUPS:])
        for group in reversed(groups[-_MAX_GROUPS:]):
            if group.index in summaries:
                break
            if group.index in list_groups:
                continue
            if group.index not in decided and not is_request(group, self._messages):
                used_tokens += self.render(group, (), "").tokens
            if used_tokens > (self._last_limit if group.index in self.last_exchange else self._newest_limit):
                break
            chosen.add(group.index)
        return chosen

    def _task_list_groups(self, groups: Sequence[Group]) -> set[int]:
        """Return the groups that only maintain the agent's task list, if there are more than a few: the state contains
        it."""
        found = {g.index for g in groups if only_updates_list([self._messages[i] for i in g.messages])}
        return found - self.last_exchange.keys() if len(found) > _MAX_LIST_GROUPS else set()

    def _find_last_exchange(self, groups: Sequence[Group]) -> dict[int, Group]:
        """Return the newest group that is not a request. If it holds a result in text form, also return the group
        before it."""
        indices = (index for index in range(len(groups) - 1, -1, -1) if not is_request(groups[index], self._messages))
        newest = next(indices, None)
        if newest is None:
            return {}
        injected = all(self._messages[i].origin == "injected" for i in groups[newest].messages)
        first = newest - 1 if injected and newest and not is_request(groups[newest - 1], self._messages) else newest
        return {group.index: group for group in groups[first : newest + 1]}
