"""The choice among the user's words: every request whole, or the binding sentences if there are too many.

A request is cut only between sentences, and a mark shows where some are left out. A sentence never stays without the
later ones on the same subject, because they may correct it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.strategies.shared.abridged import LEFT_OUT, KeptRequest, abridged, marked
from compactor_cli.strategies.shared.binding import changes_of_mind, forces, may_bind, orders
from compactor_cli.strategies.shared.leaning import (
    end_of_first_paragraph,
    is_cry,
    is_step_behind,
    labels,
    pointed_to,
    within_items,
)
from compactor_cli.strategies.shared.request_values import PROMPT, Rate, TakenUp, plain_values
from compactor_cli.text.clauses import Clause, dialogue_in, split_clauses
from compactor_cli.text.quantities import value_forms
from compactor_cli.text.sentences import ASKS
from compactor_cli.text.shorten import Short
from compactor_cli.text.subjects import may_replace, subject_terms

REQUEST_CUT = "large request of the user"
"""Reason given for a request that is cut in place."""
HEADING = 6
"""Tokens of the line above a request, or of its message."""
_GAP, _MARK = f"[{LEFT_OUT}. ]", 20
"""Characters of the mark where something was left out, and maximum tokens of the mark that says how much."""
_NEWEST = 0.5
"""Share of the room that the newest request may take before any sentence of the others."""
_BEST = 0.7
"""If there is only one request: the share that one of its sentences may take, with those that it depends on."""
_FIRST, _TASK = 0.2, 0.35
"""Shares of the room for the first request, which all others depend on: for its sentences before any sentence of those
between, and for one of its sentences with those that it depends on."""
_OPENING, _FEW = 0.6, 3
"""If no sentence that says best what is to be done fits in that share, one may take this larger share, but only up to
this number of requests: in a longer dialogue later requests say it, too."""
_RULES = 0.2
"""Share of the room for further sentences of the first request that bind everything that follows."""
_TOLD = 0.2
"""Share of the room for such sentences of the requests between the first and the newest."""
_NOD = 0.3
"""Worth, relative to the best sentence, below which a sentence does not justify its mark of what is left out."""
_NEARLY = 0.6
"""Worth, relative to the best sentence, from which on a sentence says almost as well what is asked."""
_AGED = 0.45
"""Share of its value that the oldest sentence loses relative to the newest."""
_PASTED, _MIDDLE, _EXAMPLE = 0.2, 0.5, 0.05
"""Weights of a sentence in pasted text, in one between the first and the last paragraph of a long request, and in a
pasted dialogue."""
_TITLED = 0.8
"""Minimum value, relative to the best sentence, of the title of pasted text and of the first sentence of a long
request: they say what all other sentences are about."""
_ECHO, _ECHO_PASTED = 0.5, 0.6
"""Extra weight of a sentence that the agent took up, and the weight of such a sentence in pasted text."""
_SHORT = 30
"""Tokens up to which a request is short: a rule, a wish or an answer rather than a task."""
_LONG, _TELLING = 150, 3
"""Tokens from which on a request is long, and number of words that make a first sentence more than a greeting."""
_ANEW, _REPLACED = 1.6, 0.7
"""Weights of a sentence that repeats an earlier request differently or announces a change of mind, and of the older
sentence or of what led to the change: what is said last holds."""


class Request(Struct, frozen=True):
    """Something the user said: the number of its message, and the text."""

    message: int
    text: str


def choose_requests(
    requests: Sequence[Request],
    room: int,
    count: Callable[[str], int],
    rate: Rate | None = None,
    *,
    places: bool = True,
    taken_up: TakenUp | None = None,
    awaits: bool = False,
    fills: bool = False,
) -> tuple[KeptRequest, ...]:
    """Return what is kept of the requests in at most `room` tokens, counting `HEADING` tokens for each, in their order.

    If everything fits, all requests stay whole. Otherwise the newest and the first one get their shares, and then come
    the sentences of most value. `rate`: returns the values of sentences; without it they are judged by their words
    alone. `places`: pasted text counts less than what the user says about it. Without it the texts are instructions,
    and lists bind. `taken_up`: in long requests, the sentences that the agent took up are the task, wherever they
    stand. `awaits`: the last request is not answered yet, and stays whole within its share. `fills`: nothing else
    needs the room, so sentences that say nothing are taken, too."""
    sizes = [count(request.text) for request in requests]
    if sum(sizes) + HEADING * len(sizes) <= room:
        return tuple(
            KeptRequest(request.message, request.text, size, True)
            for request, size in zip(requests, sizes, strict=True)
        )
    if not requests or room <= HEADING:
        return ()
    chooser = _Chooser(requests, sizes, count, rate or plain_values, places=places, taken_up=taken_up)
    return chooser.choose(room, awaits=awaits, fills=fills)


def abridge_request(
    request: Request, tokens: int, limit: int, count: Callable[[str], int], taken_up: TakenUp
) -> Short | None:
    """Cut a request of `tokens` tokens to its binding sentences, in at most `limit` tokens with the mark of what is
    left out. Return None if the most valuable sentence does not fit, or if the agent took up none."""
    chooser = _Chooser([request], [tokens], count, plain_values, places=True, taken_up=taken_up)
    for kept in chooser.choose(limit - _MARK + HEADING) if chooser.took_up and limit > _MARK else ():
        if not chooser.has_best():
            break
        text = marked(kept, request.text)
        counted = count(text)
        if counted <= min(limit, tokens - 1):
            return Short(text, counted)
    return None


class _Sentence(Struct, frozen=True):
    """One sentence: its request, its tokens, and its worth relative to the others."""

    request: int
    clause: Clause
    tokens: int
    worth: float


class _Chooser:
    """Takes sentences in bundles: a sentence, and the later ones without which it must not stay."""

    def __init__(
        self,
        requests: Sequence[Request],
        sizes: Sequence[int],
        count: Callable[[str], int],
        rate: Rate,
        *,
        places: bool,
        taken_up: TakenUp | None,
    ) -> None:
        self.requests, self.sizes, self.count, self.places = requests, sizes, count, places
        self.took_up = False
        """Whether the agent took up any of the sentences."""
        self.sentences = self._weigh(rate, taken_up)
        later = may_replace([s.clause.text for s in self.sentences])
        self.later = [tuple(o for o in others if self._may_correct(index, o)) for index, others in enumerate(later)]
        self.sentences = self._by_latest()
        for index, beside in self._values_beside():
            self.later[index] = *self.later[index], *beside
        told = [(s.request, s.clause) for s in self.sentences]
        if places and (task := pointed_to(told, requests[0].text)) >= 0:
            best = max(sentence.worth for sentence in self.sentences if not sentence.request)
            self.sentences[task] = replace(self.sentences[task], worth=best)
        for index in labels(told, places=places):
            self.later[index] = index + 1, *(other for other in self.later[index] if other > index + 1)
        for index, earlier in within_items(told, [request.text for request in requests]):
            self.later[index] = *earlier, *self.later[index]
        self.main = self._main()
        self.taken: set[int] = set()
        with_words = {s.request for s in self.sentences if s.clause.text.strip(_GAP)}
        self.gaps = frozenset(
            i for i, s in enumerate(self.sentences) if s.request in with_words and not s.clause.text.strip(_GAP)
        )
        """Sentences that only show where an earlier round left something out. Alone, "..." would ask to continue."""
        self.bundles: list[list[int]] = []
        self.used = 0
        self.best = max((sentence.worth for sentence in self.sentences), default=0.0)
        self.best /= 1 + _ECHO * self.took_up  # what was taken up does not turn the others into nods

    def _weigh(self, rate: Rate, taken_up: TakenUp | None) -> list[_Sentence]:
        clauses = [(i, clause) for i, request in enumerate(self.requests) for clause in split_clauses(request.text)]
        taken = list(self._taken(clauses, taken_up)) if taken_up and self.places else [0.0] * len(clauses)
        self.took_up = any(echo > 0 for echo in taken)
        values = rate([(self.requests[i].message, clause.text) for i, clause in clauses])
        weighed, best = [], max(values, default=0.0)
        shares = {"pasted": _PASTED, "middle": _MIDDLE} if self.places else {}
        examples = [dialogue_in(request.text) if self.places else (0, 0) for request in self.requests]
        in_examples = [examples[i][0] <= clause.start < examples[i][1] for i, clause in clauses]
        taken = [0.0 if inside else echo for inside, echo in zip(in_examples, taken, strict=True)]
        opened = -1
        binding = [1.0] * len(clauses) if self.places else forces(clause.text for _, clause in clauses)
        told = zip(clauses, values, taken, binding, in_examples, strict=True)
        for (i, clause), rated, echo, force, inside in told:
            opens = i != opened and self.sizes[i] > _LONG and len(subject_terms(clause.text)) >= _TELLING
            cries = i == opened and is_cry(self.requests[i].text, clause)
            opened = i
            titles = self.places and (opens or clause.place == "title")
            value = max(rated, _TITLED * best) if titles else rated
            value = max(value, _TITLED * best * echo * (_ECHO_PASTED if clause.place == "pasted" else 1.0))
            is_order = self.places and orders(clause)  # an order holds until it is retracted
            age = 0.0 if is_order else (len(self.requests) - 1 - i) / max(1, len(self.requests) - 1)
            share = _EXAMPLE if inside else shares.get(clause.place, 1.0)
            worth = value * (1 - _AGED * age) * (share + (1 - share) * echo) * force * (1 + _ECHO * echo)
            worth = worth if echo != PROMPT and not cries else 0.0
            weighed.append(_Sentence(i, clause, self.count(clause.text) + 1, worth))
        return weighed

    def _taken(self, clauses: Sequence[tuple[int, Clause]], taken_up: TakenUp) -> Iterator[float]:
        """Yield how much of each sentence the agent took up. Short requests are not searched for."""
        for i, group in groupby(clauses, key=lambda pair: pair[0]):
            texts = [clause.text for _, clause in group]
            shares = taken_up(self.requests[i].message, texts) if self.sizes[i] > _LONG else ()
            yield from shares or [0.0] * len(texts)

    def _by_latest(self) -> list[_Sentence]:
        """Return the sentences with a higher worth if they are the last word on a subject of several requests, and a
        lower one if they are replaced. Questions replace nothing."""
        statements = {i for i, sentence in enumerate(self.sentences) if not ASKS.search(sentence.clause.text)}
        request = [sentence.request for sentence in self.sentences]
        later = {i: {o for o in self.later[i] if o in statements and request[o] != request[i]} for i in statements}
        replaced = {i for i, others in later.items() if others}
        anew = {other for others in later.values() for other in others} - replaced
        before, changes = changes_of_mind([(s.request, s.clause) for s in self.sentences] if self.places else [])
        shares = {
            **dict.fromkeys(changes, _ANEW),
            **dict.fromkeys(before, _REPLACED),
            **dict.fromkeys(replaced, _REPLACED),
            **dict.fromkeys(anew, _ANEW),
        }
        return [replace(s, worth=s.worth * shares.get(i, 1.0)) for i, s in enumerate(self.sentences)]

    def _request_of(self, index: int) -> int:
        return self.sentences[index].request

    def _may_correct(self, index: int, later: int) -> bool:
        """Return whether a later sentence on the same subject may retract an earlier one. Pasted text, such as example
        code, does not retract other words of the same request."""
        one, other = self.sentences[index], self.sentences[later]
        if not self.places or one.request != other.request:
            return True
        if other.clause.place == "pasted" != one.clause.place:
            return False
        return not is_step_behind(self.requests[one.request].text, one.clause, other.clause)

    def _values_beside(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each sentence with values, such as times, and the sentences with other values next to a later one on
        its subject that has no such values. These neighbours may change the values, even in a question."""
        written = [value_forms(s.clause.text) for s in self.sentences]
        of_request = {number: [*group] for number, group in groupby(range(len(self.sentences)), self._request_of)}
        for index, forms in enumerate(written):
            for other in self.later[index] if forms and self.places else ():
                request = self._request_of(other)
                missing = forms - written[other] if request != self._request_of(index) else frozenset[str]()
                if beside := [i for i in of_request[request] if written[i] & missing and i not in self.later[index]]:
                    yield index, beside

    def _main(self) -> dict[int, frozenset[int]]:
        """Return for each short request the sentences that say best what it is about, and those that order or forbid.
        Without one of them the others, such as "Can you help me with that?", say nothing."""
        found: dict[int, frozenset[int]] = {}
        for number, group in groupby(range(len(self.sentences)), self._request_of):
            members = list(group)
            if self.places and self.sizes[number] <= _LONG:
                least = _NEARLY * max(self.sentences[i].worth for i in members)
                binding = (i for i in members if orders(self.sentences[i].clause))
                found[number] = frozenset((*binding, *(i for i in members if self.sentences[i].worth >= least)))
        return found

    def _says_little(self, index: int) -> bool:
        """Return whether a sentence does not say what its short request is about, and no taken sentence does."""
        main = self.main.get(self.sentences[index].request)
        return main is not None and index not in main and self.taken.isdisjoint(main)

    def has_best(self) -> bool:
        """Return whether the most valuable sentence was taken, or one worth almost as much."""
        return any(self.sentences[i].worth >= _NEARLY * self.best for i in self.taken)

    def choose(self, room: int, *, awaits: bool = False, fills: bool = False) -> tuple[KeptRequest, ...]:
        """Return what is kept of each request. `awaits`, `fills`: as in `choose_requests`."""
        newest = len(self.requests) - 1
        order = sorted(range(len(self.sentences)), key=self._rank)
        of_newest = [i for i in order if self.sentences[i].request == newest]
        whole = self.sizes[newest] + HEADING <= room * _NEWEST
        if whole and awaits:
            self.used = self.sizes[newest] + HEADING
            self.taken.update(of_newest)
        if not newest:  # of the only one, the best sentence comes before what fits in a share
            self._take([max(of_newest, key=lambda i: self.sentences[i].worth)], int(room * _BEST))
        self._take(of_newest, room if whole else int(room * _NEWEST))
        first = [i for i in order if self.sentences[i].request == 0]
        best = min(self.best, max((self.sentences[i].worth for i in first), default=0.0))
        worth_it = _NOD * best / self.best if self.best else 0.0
        is_small = self.sizes[0] + HEADING <= room * _TASK
        self._take(first, self.used + int(room * (_TASK if is_small else _FIRST)), least=worth_it)
        telling = self._telling_best(first)
        opening = _OPENING if len(self.requests) <= _FEW else _TASK
        for share, those in ((_TASK, telling), (opening, telling), (_TASK, first)):
            for i in those:
                if self.taken.isdisjoint(those):
                    self._take([i], min(room, self.used + int(room * share)), least=worth_it)
        least = _NOD * min(self.best, max((self.sentences[i].worth for i in of_newest), default=0.0))
        worth_saying = (i for i in of_newest if self.sentences[i].worth >= least)  # "Begin!" alone says nothing
        for i in sorted(worth_saying, key=lambda i: self.sentences[i].tokens):  # something of the newest has to stay
            if self.taken.isdisjoint(of_newest):
                self._take([i], room, least=0.0)
        self._take_rules(order, room, worth_it)
        self._take(order, room)
        chosen = self._kept_requests()
        self.used = sum(request.tokens + HEADING for request in chosen)
        self._take_whole(room)
        if fills:
            self._take(sorted(order, key=lambda i: (-self.sentences[i].request, i)), room, least=0.0)
        chosen = self._kept_requests()
        while self.bundles and sum(request.tokens + HEADING for request in chosen) > room:
            self.taken -= set(self.bundles.pop())
            chosen = self._kept_requests()
        return chosen

    def _telling_best(self, order: Sequence[int]) -> list[int]:
        """Return the sentences in the first paragraph of the first request that say best what is to be done. Orders
        only say how, and are left out if there are other sentences."""
        end = end_of_first_paragraph(self.requests[0].text)
        begin = [i for i in order if self.sentences[i].clause.start < end]
        tasks = [i for i in begin if not (self.places and orders(self.sentences[i].clause))] or begin
        least = _NEARLY * max((self.sentences[i].worth for i in tasks), default=0.0)
        return [i for i in tasks if self.sentences[i].worth >= least]

    def _take_rules(self, order: Sequence[int], room: int, least: float) -> None:
        """Take sentences of older requests that bind everything that follows: first of the first request, then of those
        between, then those of the first request that may bind."""
        if not self.places:
            return
        first = [i for i in order if self.sentences[i].request == 0]
        between = (i for i in order if 0 < self.sentences[i].request < len(self.requests) - 1)
        sure = [i for i in first if orders(self.sentences[i].clause)]
        most = min(room, self.used + int(room * _RULES))
        self._take(sure, most, least=least)
        for i in sure:
            if self.taken.isdisjoint(sure):
                self._take([i], min(room, self.used + int(room * _TASK)), least=least)
        left = most - self.used
        told = [i for i in between if orders(self.sentences[i].clause)]
        self._take(told, min(room, self.used + int(room * _TOLD)))
        self._take((i for i in first if may_bind(self.sentences[i].clause)), min(room, self.used + left), least=least)

    def _take_whole(self, room: int) -> None:
        """Take whole requests with what is left of the room, short ones first, and of equal ones the newest. The little
        that a short one says may bind, whatever its value."""
        members = [[*group] for _, group in groupby(range(len(self.sentences)), self._request_of)]
        newest_first = reversed(members) if self.places else ()
        for own in sorted(newest_first, key=lambda own: self.sizes[self._request_of(own[0])] > _SHORT):
            if sum(self.sentences[i].tokens for i in own if i not in self.taken) + HEADING <= room - self.used:
                self._take(own, room, least=0.0)

    def _rank(self, index: int) -> tuple[float, int]:
        sentence = self.sentences[index]
        return -sentence.worth / (sentence.tokens + HEADING) ** 0.5, -index

    def _take(self, order: Iterable[int], room: int, least: float = _NOD) -> None:
        """Take bundles in this order while they fit; none for a sentence of almost no worth."""
        opened = {self.sentences[i].request for i in self.taken}
        for index in order:
            if index in self.taken or index in self.gaps or self.sentences[index].worth < least * self.best:
                continue
            if least and self._says_little(index):
                continue
            bundle = self._with_later(index)
            fresh = {self.sentences[i].request for i in bundle} - opened
            cost = sum(self.sentences[i].tokens for i in bundle) + (HEADING + 2) * len(fresh)
            if self.used + cost <= room:
                self.used += cost
                opened |= fresh
                self.taken.update(bundle)
                self.bundles.append(bundle)

    def _with_later(self, index: int) -> list[int]:
        """Return a sentence with those that it must not stay without: later ones on its subject, and on theirs."""
        bundle, there = [index], {index}
        for sentence in bundle:
            new = [o for o in dict.fromkeys(self.later[sentence]) if o not in there]
            bundle += (o for o in new if o not in self.taken and o not in self.gaps)
            there.update(new)
        return bundle

    def _kept_requests(self) -> tuple[KeptRequest, ...]:
        requests = []
        # in a bundle the last one comes first: none stays without it
        turns = {i: turn for turn, i in enumerate(chain.from_iterable(reversed(bundle) for bundle in self.bundles))}
        for number, group in groupby(range(len(self.sentences)), self._request_of):
            members = list(group)
            stays = sorted(
                (index for index, i in enumerate(members) if i in self.taken), key=lambda at: turns.get(members[at], -1)
            )
            kept = [self.sentences[members[index]].clause for index in sorted(stays)]
            request = self.requests[number]
            if kept and self.taken.union(self.gaps).issuperset(members):
                requests.append(KeptRequest(request.message, request.text, self.sizes[number], True))
            elif kept:
                text = abridged(request.text, kept, self.sentences[members[-1]].clause)
                requests.append(KeptRequest(request.message, text, self.count(text), False, tuple(stays)))
        return tuple(requests)
