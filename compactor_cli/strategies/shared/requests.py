"""Which of the user's words stay: every request whole, or of too many the sentences that bind.

A request is cut between sentences only, and says where something is left out. A sentence never stays without the
later ones on the same subject: they may correct it.
"""

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
    within_items,
)
from compactor_cli.strategies.shared.request_values import PROMPT, Rate, TakenUp, plain_values
from compactor_cli.text.clauses import Clause, dialogue_in, split_clauses
from compactor_cli.text.quantities import value_forms
from compactor_cli.text.sentences import ASKS
from compactor_cli.text.shorten import Short
from compactor_cli.text.subjects import may_replace, subject_terms

REQUEST_CUT = "large request of the user"
"""Reason of a request that is cut at its place."""
HEADING = 6
"""Tokens of the line that a request stands under, or of its message."""
_GAP = f"[{LEFT_OUT}. ]"
"""Characters of what stands where something was left out."""
_MARK = 20
"""Tokens of the mark of what is left out, at most."""
_NEWEST = 0.5
"""Share of the room that the newest request may take before any sentence of the others."""
_BEST = 0.7
"""Share that one sentence of the only request may take, with those that it must not stay without."""
_FIRST, _TASK = 0.2, 0.35
"""Shares of the room that the first request may take before any sentence of those between, and that one sentence of it
may take with those that it must not stay without: what all the others belong to."""
_OPENING, _FEW = 0.6, 3
"""Share that one of the sentences which say best what is to be done may take where none has room in that, among so many
requests: of a dialogue, later ones say so, too."""
_RULES = 0.2
"""Share of the room that further sentences of the first request may take then which bind all that follows."""
_TOLD = 0.2
"""Share of the room that such sentences of the requests between may take besides."""
_NOD = 0.3
"""Worth beside the best sentence below which one is not worth its mark of what is left out."""
_NEARLY = 0.6
"""Worth beside the best sentence from which on one says nearly as well what is asked."""
_AGED = 0.45
"""What the value of the oldest sentence loses beside that of the newest."""
_PASTED, _MIDDLE, _EXAMPLE = 0.2, 0.5, 0.05
"""What a sentence counts in a pasted text, between the first and the last paragraph of a long request, and in a
dialogue that was pasted."""
_TITLED = 0.8
"""What the title of what was pasted, and the first sentence of a long request, is worth at least, beside the best
sentence: what all the others are about."""
_ECHO, _ECHO_PASTED = 0.5, 0.6
"""What a sentence counts besides that the agent took up, and how much such a one in a pasted text is worth."""
_SHORT = 30
"""Tokens up to which a request is short: a rule, a wish or an answer, rather than something to do."""
_LONG, _TELLING = 150, 3
"""Tokens from which on a request is long, and words of a first sentence that is more than a greeting."""
_ANEW, _REPLACED = 1.6, 0.7
"""What a sentence counts that says anew what an earlier request said or tells a change of mind, and what the older one
or what led to it counts then: what is said last holds."""


class Request(Struct, frozen=True):
    """Something the user said: the number of its message, and the words."""

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
) -> tuple[KeptRequest, ...]:
    """Return what stays of requests, given in their order, in at most `room` tokens (each with `HEADING`), in that
    order.

    All of them whole when there is room. Else the newest one and the first one, as far as their shares go, then the
    sentences of most value. `rate`: the values of sentences; without it they are judged by their words alone.
    `places`: what was pasted counts less than what is said of it. Of instructions the lists are what binds.
    `taken_up`: of long requests, the sentences that the agent took up are what is asked, wherever they stand.
    `awaits`: the last one awaits its answer, and stays whole where it takes up to its share.
    """
    sizes = [count(request.text) for request in requests]
    if sum(sizes) + HEADING * len(sizes) <= room:
        return tuple(
            KeptRequest(request.message, request.text, size, True)
            for request, size in zip(requests, sizes, strict=True)
        )
    if not requests or room <= HEADING:
        return ()
    chooser = _Chooser(requests, sizes, count, rate or plain_values, places=places, taken_up=taken_up)
    return chooser.choose(room, awaits=awaits)


def abridge_request(
    request: Request, tokens: int, limit: int, count: Callable[[str], int], taken_up: TakenUp
) -> Short | None:
    """Cut a request of so many tokens to its sentences that bind, in at most `limit` tokens, with the mark of what is
    left out; None where the one of most worth has no room, or where the agent took up none."""
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
    """One sentence: which request it is of, what it costs, and what it is worth beside the others."""

    request: int
    clause: Clause
    tokens: int
    worth: float


class _Chooser:
    """Takes sentences in bundles: one, and the later ones without which it must not stay."""

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
        """Sentences that only say where an earlier round left something out; alone, "..." asks to go on."""
        self.bundles: list[list[int]] = []
        self.used = 0
        self.best = max((sentence.worth for sentence in self.sentences), default=0.0)
        self.best /= 1 + _ECHO * self.took_up  # what was taken up makes the others no nods

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
            is_order = self.places and orders(clause)  # which holds until it is taken back
            age = 0.0 if is_order else (len(self.requests) - 1 - i) / max(1, len(self.requests) - 1)
            share = _EXAMPLE if inside else shares.get(clause.place, 1.0)
            worth = value * (1 - _AGED * age) * (share + (1 - share) * echo) * force * (1 + _ECHO * echo)
            worth = worth if echo != PROMPT and not cries else 0.0
            weighed.append(_Sentence(i, clause, self.count(clause.text) + 1, worth))
        return weighed

    def _taken(self, clauses: Sequence[tuple[int, Clause]], taken_up: TakenUp) -> Iterator[float]:
        """Yield how much of each sentence the agent took up; of short requests, nothing is looked for."""
        for i, group in groupby(clauses, key=lambda pair: pair[0]):
            texts = [clause.text for _, clause in group]
            shares = taken_up(self.requests[i].message, texts) if self.sizes[i] > _LONG else ()
            yield from shares or [0.0] * len(texts)

    def _by_latest(self) -> list[_Sentence]:
        """Return the sentences, worth more where they are the last word on a subject of several requests. Questions say
        nothing anew."""
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
        """Return whether a later sentence on the same subject may take back what one says. What is pasted behind words
        of the same request, such as code of an example, does not."""
        one, other = self.sentences[index], self.sentences[later]
        if not self.places or one.request != other.request:
            return True
        if other.clause.place == "pasted" != one.clause.place:
            return False
        return not is_step_behind(self.requests[one.request].text, one.clause, other.clause)

    def _values_beside(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield the sentences with values, such as times, and those beside a later one on their subject which tells no
        such values itself: there they may be changed, too, be it in a question."""
        written = [value_forms(s.clause.text) for s in self.sentences]
        of_request = {number: [*group] for number, group in groupby(range(len(self.sentences)), self._request_of)}
        for index, forms in enumerate(written):
            for other in self.later[index] if forms and self.places else ():
                request = self._request_of(other)
                missing = forms - written[other] if request != self._request_of(index) else frozenset[str]()
                if beside := [i for i in of_request[request] if written[i] & missing and i not in self.later[index]]:
                    yield index, beside

    def _main(self) -> dict[int, frozenset[int]]:
        """Return of each short request the sentences that say best what it is about, and those that order or forbid:
        without one of them the others, such as "Can you help me with that?", say nothing."""
        found: dict[int, frozenset[int]] = {}
        for number, group in groupby(range(len(self.sentences)), self._request_of):
            members = list(group)
            if self.places and self.sizes[number] <= _LONG:
                least = _NEARLY * max(self.sentences[i].worth for i in members)
                binding = (i for i in members if orders(self.sentences[i].clause))
                found[number] = frozenset((*binding, *(i for i in members if self.sentences[i].worth >= least)))
        return found

    def _says_little(self, index: int) -> bool:
        """Return whether nothing is taken that says what the short request of a sentence is about, nor does it."""
        main = self.main.get(self.sentences[index].request)
        return main is not None and index not in main and self.taken.isdisjoint(main)

    def has_best(self) -> bool:
        """Return whether the sentence of most worth was taken, or one that is nearly worth as much."""
        return any(self.sentences[i].worth >= _NEARLY * self.best for i in self.taken)

    def choose(self, room: int, *, awaits: bool = False) -> tuple[KeptRequest, ...]:
        """Return the requests, each as far as it stays. `awaits`: as for `choose_requests`."""
        newest = len(self.requests) - 1
        order = sorted(range(len(self.sentences)), key=self._rank)
        of_newest = [i for i in order if self.sentences[i].request == newest]
        whole = self.sizes[newest] + HEADING <= room * _NEWEST
        if whole and awaits:
            self.used = self.sizes[newest] + HEADING
            self.taken.update(of_newest)
        if not newest:  # of the only one what is worth most comes before what fits in a share
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
        chosen = self._kept_requests()
        while self.bundles and sum(request.tokens + HEADING for request in chosen) > room:
            self.taken -= set(self.bundles.pop())
            chosen = self._kept_requests()
        return chosen

    def _telling_best(self, order: Sequence[int]) -> list[int]:
        """Return those sentences of the first paragraph of the first request that say best what is to be done: others
        only say how."""
        end = end_of_first_paragraph(self.requests[0].text)
        begin = [i for i in order if self.sentences[i].clause.start < end]
        tasks = [i for i in begin if not (self.places and orders(self.sentences[i].clause))] or begin
        least = _NEARLY * max((self.sentences[i].worth for i in tasks), default=0.0)
        return [i for i in tasks if self.sentences[i].worth >= least]

    def _take_rules(self, order: Sequence[int], room: int, least: float) -> None:
        """Take sentences of requests before the newest that bind all that follows: of the first one, of those between,
        and then those of the first one that perhaps do."""
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
        """Take requests whole with what is left, the newest first, short ones before all others: what little they say
        may bind, whatever it is worth."""
        members = [[*group] for _, group in groupby(range(len(self.sentences)), self._request_of)]
        newest_first = reversed(members) if self.places else ()
        for own in sorted(newest_first, key=lambda own: self.sizes[self._request_of(own[0])] > _SHORT):
            if sum(self.sentences[i].tokens for i in own if i not in self.taken) + HEADING <= room - self.used:
                self._take(own, room, least=0.0)

    def _rank(self, index: int) -> tuple[float, int]:
        sentence = self.sentences[index]
        return -sentence.worth / (sentence.tokens + HEADING) ** 0.5, -index

    def _take(self, order: Iterable[int], room: int, least: float = _NOD) -> None:
        """Take bundles in this order, as far as the room goes; none for a sentence that is worth next to nothing."""
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
        # of a bundle the last one first: none stays without it
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
