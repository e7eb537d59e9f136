"""The choice among the user's words: every request whole, or the binding sentences if there are too many.

A request is cut only between sentences, and a mark shows where some are left out. A sentence never stays without the
later ones on the same subject, because they may correct it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.strategies.shared.binding import find_changes_of_mind, instruction_weights, is_directive, may_be_rule
from compactor_cli.strategies.shared.dependent_sentences import (
    end_of_first_paragraph,
    find_labels,
    is_exclamation,
    is_later_step,
    item_continuations,
    pointed_to,
)
from compactor_cli.strategies.shared.kept_requests import ELLIPSIS, KeptRequest, join_kept_clauses, with_cut_mark
from compactor_cli.strategies.shared.request_values import PROMPT, EchoRater, SentenceRater, plain_values
from compactor_cli.text.clauses import Clause, dialogue_span, split_clauses
from compactor_cli.text.quantities import value_forms
from compactor_cli.text.sentences import QUESTION_END
from compactor_cli.text.shorten import Shortened
from compactor_cli.text.subjects import later_replacements, subject_terms

REQUEST_CUT = "large request of the user"
"""Reason given for a request that is cut in place."""
LABEL_TOKENS = 6
"""Tokens of the line above a request, or of its message."""
_GAP, _CUT_MARK = f"[{ELLIPSIS}. ]", 20
"""Characters of the mark where something was left out, and maximum tokens of the mark that says how much."""
_NEWEST_SHARE = 0.5
"""Share of the room that the newest request may take before any sentence of the others."""
_BEST_SHARE = 0.7
"""If there is only one request: the share that one of its sentences may take, with those that it depends on."""
_FIRST_SHARE, _TASK_SHARE = 0.2, 0.35
"""Shares of the room for the first request, which all others depend on: for its sentences before any sentence of those
between, and for one of its sentences with those that it depends on."""
_OPENING_SHARE, _MAX_OPENING_REQUESTS = 0.6, 3
"""If no sentence that says best what is to be done fits in that share, one may take this larger share, but only up to
this number of requests: in a longer dialogue later requests say it, too."""
_RULE_SHARE = 0.2
"""Share of the room for further sentences of the first request that bind everything that follows."""
_LATER_RULE_SHARE = 0.2
"""Share of the room for such sentences of the requests between the first and the newest."""
_NOD_SHARE = 0.3
"""Worth, relative to the best sentence, below which a sentence does not justify its mark of what is left out."""
_NEARLY_BEST = 0.6
"""Worth, relative to the best sentence, from which on a sentence says almost as well what is asked."""
_AGE_LOSS = 0.45
"""Share of its value that the oldest sentence loses relative to the newest."""
_PASTED_WEIGHT, _MIDDLE_WEIGHT, _EXAMPLE_WEIGHT = 0.2, 0.5, 0.05
"""Weights of a sentence in pasted text, in one between the first and the last paragraph of a long request, and in a
pasted dialogue."""
_TITLE_SHARE = 0.8
"""Minimum value, relative to the best sentence, of the title of pasted text and of the first sentence of a long
request: they say what all other sentences are about."""
_ECHO_BONUS, _PASTED_ECHO = 0.5, 0.6
"""Extra weight of a sentence that the agent took up, and the weight of such a sentence in pasted text."""
_SHORT_TOKENS = 30
"""Tokens up to which a request is short: a rule, a wish or an answer rather than a task."""
_LONG_TOKENS, _OPENING_WORDS = 150, 3
"""Tokens from which on a request is long, and number of words that make a first sentence more than a greeting."""
_RESTATED_WEIGHT, _REPLACED_WEIGHT = 1.6, 0.7
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
    rate: SentenceRater | None = None,
    *,
    places: bool = True,
    rate_echo: EchoRater | None = None,
    awaits: bool = False,
    fills: bool = False,
) -> tuple[KeptRequest, ...]:
    """Return what is kept of the requests in at most `room` tokens, counting `LABEL_TOKENS` for each, in their order.

    If everything fits, all requests stay whole. Otherwise the newest and the first one get their shares, and then come
    the sentences of most value. `rate`: returns the values of sentences; without it they are judged by their words
    alone. `places`: pasted text counts less than what the user says about it. Without it the texts are instructions,
    and lists bind. `rate_echo`: in long requests, the sentences that the agent took up are the task, wherever they
    stand. `awaits`: the last request is not answered yet, and stays whole within its share. `fills`: nothing else
    needs the room, so sentences that say nothing are taken, too."""
    sizes = [count(request.text) for request in requests]
    if sum(sizes) + LABEL_TOKENS * len(sizes) <= room:
        return tuple(KeptRequest(r.message, r.text, size, True) for r, size in zip(requests, sizes, strict=True))
    if not requests or room <= LABEL_TOKENS:
        return ()
    chooser = _Chooser(requests, sizes, count, rate or plain_values, places=places, rate_echo=rate_echo)
    return chooser.choose(room, awaits=awaits, fills=fills)


def abridge_request(
    request: Request, tokens: int, limit: int, count: Callable[[str], int], rate_echo: EchoRater
) -> Shortened | None:
    """Cut a request of `tokens` tokens to its binding sentences, in at most `limit` tokens with the mark of what is
    left out. Return None if the most valuable sentence does not fit, or if the agent took up none."""
    chooser = _Chooser([request], [tokens], count, plain_values, places=True, rate_echo=rate_echo)
    for kept in chooser.choose(limit - _CUT_MARK + LABEL_TOKENS) if chooser.has_echo and limit > _CUT_MARK else ():
        if not chooser.has_best():
            break
        text = with_cut_mark(kept, request.text)
        cut_tokens = count(text)
        if cut_tokens <= min(limit, tokens - 1):
            return Shortened(text, cut_tokens)
    return None


class _Sentence(Struct, frozen=True):
    """One sentence: its request, its tokens, and its worth relative to the others."""

    request: int
    clause: Clause
    tokens: int
    weight: float


class _Chooser:
    """Takes sentences in bundles: a sentence, and the later ones without which it must not stay."""

    def __init__(
        self,
        requests: Sequence[Request],
        sizes: Sequence[int],
        count: Callable[[str], int],
        rate: SentenceRater,
        *,
        places: bool,
        rate_echo: EchoRater | None,
    ) -> None:
        self.requests, self.sizes, self.count, self.places = requests, sizes, count, places
        self.has_echo = False
        """Whether the agent took up any of the sentences."""
        self.sentences = self._weigh(rate, rate_echo)
        later = later_replacements([s.clause.text for s in self.sentences])
        self.later = [tuple(o for o in others if self._may_correct(index, o)) for index, others in enumerate(later)]
        self.sentences = self._weigh_by_changes()
        for index, neighbors in self._neighboring_values():
            self.later[index] = *self.later[index], *neighbors
        clauses = [(s.request, s.clause) for s in self.sentences]
        if places and (task := pointed_to(clauses, requests[0].text)) >= 0:
            best = max(sentence.weight for sentence in self.sentences if not sentence.request)
            self.sentences[task] = replace(self.sentences[task], weight=best)
        for index in find_labels(clauses, places=places):
            self.later[index] = index + 1, *(other for other in self.later[index] if other > index + 1)
        for index, earlier in item_continuations(clauses, [request.text for request in requests]):
            self.later[index] = *earlier, *self.later[index]
        self.main_sentences = self._find_main_sentences()
        self.taken: set[int] = set()
        with_words = {s.request for s in self.sentences if s.clause.text.strip(_GAP)}
        self.gaps = frozenset(
            i for i, s in enumerate(self.sentences) if s.request in with_words and not s.clause.text.strip(_GAP)
        )
        """Sentences that only show where an earlier round left something out. Alone, "..." would ask to continue."""
        self.bundles: list[list[int]] = []
        self.used = 0
        self.best = max((sentence.weight for sentence in self.sentences), default=0.0)
        self.best /= 1 + _ECHO_BONUS * self.has_echo  # what was taken up does not turn the others into nods

    def _weigh(self, rate: SentenceRater, rate_echo: EchoRater | None) -> list[_Sentence]:
        clauses = [(i, clause) for i, request in enumerate(self.requests) for clause in split_clauses(request.text)]
        echoes = list(self._echoes(clauses, rate_echo)) if rate_echo and self.places else [0.0] * len(clauses)
        self.has_echo = any(echo > 0 for echo in echoes)
        values = rate([(self.requests[i].message, clause.text) for i, clause in clauses])
        weighed, best = [], max(values, default=0.0)
        shares = {"pasted": _PASTED_WEIGHT, "middle": _MIDDLE_WEIGHT} if self.places else {}
        examples = [dialogue_span(request.text) if self.places else (0, 0) for request in self.requests]
        in_examples = [examples[i][0] <= clause.start < examples[i][1] for i, clause in clauses]
        echoes = [0.0 if inside else echo for inside, echo in zip(in_examples, echoes, strict=True)]
        opened = -1
        binding = [1.0] * len(clauses) if self.places else instruction_weights(clause.text for _, clause in clauses)
        rows = zip(clauses, values, echoes, binding, in_examples, strict=True)
        for (i, clause), rated, echo, force, inside in rows:
            opens = i != opened and self.sizes[i] > _LONG_TOKENS and len(subject_terms(clause.text)) >= _OPENING_WORDS
            cries = i == opened and is_exclamation(self.requests[i].text, clause)
            opened = i
            titles = self.places and (opens or clause.origin == "title")
            value = max(rated, _TITLE_SHARE * best) if titles else rated
            value = max(value, _TITLE_SHARE * best * echo * (_PASTED_ECHO if clause.origin == "pasted" else 1.0))
            is_order = self.places and is_directive(clause)  # an order holds until it is retracted
            age = 0.0 if is_order else (len(self.requests) - 1 - i) / max(1, len(self.requests) - 1)
            share = _EXAMPLE_WEIGHT if inside else shares.get(clause.origin, 1.0)
            weight = value * (1 - _AGE_LOSS * age) * (share + (1 - share) * echo) * force * (1 + _ECHO_BONUS * echo)
            weight = weight if echo != PROMPT and not cries else 0.0
            weighed.append(_Sentence(i, clause, self.count(clause.text) + 1, weight))
        return weighed

    def _echoes(self, clauses: Sequence[tuple[int, Clause]], rate_echo: EchoRater) -> Iterator[float]:
        """Yield how much of each sentence the agent took up. Short requests are not searched for."""
        for i, group in groupby(clauses, key=lambda pair: pair[0]):
            texts = [clause.text for _, clause in group]
            shares = rate_echo(self.requests[i].message, texts) if self.sizes[i] > _LONG_TOKENS else ()
            yield from shares or [0.0] * len(texts)

    def _weigh_by_changes(self) -> list[_Sentence]:
        """Return the sentences with a higher worth if they are the last word on a subject of several requests, and a
        lower one if they are replaced. Questions replace nothing."""
        statements = {i for i, sentence in enumerate(self.sentences) if not QUESTION_END.search(sentence.clause.text)}
        request = [sentence.request for sentence in self.sentences]
        later = {i: {o for o in self.later[i] if o in statements and request[o] != request[i]} for i in statements}
        replaced = {i for i, others in later.items() if others}
        restated = {other for others in later.values() for other in others} - replaced
        before, changes = find_changes_of_mind([(s.request, s.clause) for s in self.sentences] if self.places else [])
        shares = {
            **dict.fromkeys(changes, _RESTATED_WEIGHT),
            **dict.fromkeys(before, _REPLACED_WEIGHT),
            **dict.fromkeys(replaced, _REPLACED_WEIGHT),
            **dict.fromkeys(restated, _RESTATED_WEIGHT),
        }
        return [replace(s, weight=s.weight * shares.get(i, 1.0)) for i, s in enumerate(self.sentences)]

    def _request_of(self, index: int) -> int:
        return self.sentences[index].request

    def _may_correct(self, index: int, later: int) -> bool:
        """Return whether a later sentence on the same subject may retract an earlier one. Pasted text, such as example
        code, does not retract other words of the same request."""
        earlier, later_sentence = self.sentences[index], self.sentences[later]
        if not self.places or earlier.request != later_sentence.request:
            return True
        if later_sentence.clause.origin == "pasted" != earlier.clause.origin:
            return False
        return not is_later_step(self.requests[earlier.request].text, earlier.clause, later_sentence.clause)

    def _neighboring_values(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each sentence with values, such as times, and the sentences with other values next to a later one on
        its subject that has no such values. These neighbours may change the values, even in a question."""
        written = [value_forms(s.clause.text) for s in self.sentences]
        of_request = {number: [*group] for number, group in groupby(range(len(self.sentences)), self._request_of)}
        for index, values in enumerate(written):
            for other in self.later[index] if values and self.places else ():
                request = self._request_of(other)
                missing = values - written[other] if request != self._request_of(index) else frozenset[str]()
                if neighbors := [i for i in of_request[request] if written[i] & missing and i not in self.later[index]]:
                    yield index, neighbors

    def _find_main_sentences(self) -> dict[int, frozenset[int]]:
        """Return for each short request the sentences that say best what it is about, and those that order or forbid.
        Without one of them the others, such as "Can you help me with that?", say nothing."""
        found: dict[int, frozenset[int]] = {}
        for number, group in groupby(range(len(self.sentences)), self._request_of):
            members = list(group)
            if self.places and self.sizes[number] <= _LONG_TOKENS:
                least = _NEARLY_BEST * max(self.sentences[i].weight for i in members)
                binding = (i for i in members if is_directive(self.sentences[i].clause))
                found[number] = frozenset((*binding, *(i for i in members if self.sentences[i].weight >= least)))
        return found

    def _lacks_main_sentence(self, index: int) -> bool:
        """Return whether a sentence does not say what its short request is about, and no taken sentence does."""
        main = self.main_sentences.get(self.sentences[index].request)
        return main is not None and index not in main and self.taken.isdisjoint(main)

    def has_best(self) -> bool:
        """Return whether the most valuable sentence was taken, or one worth almost as much."""
        return any(self.sentences[i].weight >= _NEARLY_BEST * self.best for i in self.taken)

    def choose(self, room: int, *, awaits: bool = False, fills: bool = False) -> tuple[KeptRequest, ...]:
        """Return what is kept of each request. `awaits`, `fills`: as in `choose_requests`."""
        newest = len(self.requests) - 1
        order = sorted(range(len(self.sentences)), key=self._rank)
        of_newest = [i for i in order if self.sentences[i].request == newest]
        whole = self.sizes[newest] + LABEL_TOKENS <= room * _NEWEST_SHARE
        if whole and awaits:
            self.used = self.sizes[newest] + LABEL_TOKENS
            self.taken.update(of_newest)
        if not newest:  # of the only one, the best sentence comes before what fits in a share
            self._take([max(of_newest, key=lambda i: self.sentences[i].weight)], int(room * _BEST_SHARE))
        self._take(of_newest, room if whole else int(room * _NEWEST_SHARE))
        first = [i for i in order if self.sentences[i].request == 0]
        best = min(self.best, max((self.sentences[i].weight for i in first), default=0.0))
        min_share = _NOD_SHARE * best / self.best if self.best else 0.0
        is_small = self.sizes[0] + LABEL_TOKENS <= room * _TASK_SHARE
        self._take(first, self.used + int(room * (_TASK_SHARE if is_small else _FIRST_SHARE)), least=min_share)
        telling = self._best_task_sentences(first)
        opening = _OPENING_SHARE if len(self.requests) <= _MAX_OPENING_REQUESTS else _TASK_SHARE
        for share, those in ((_TASK_SHARE, telling), (opening, telling), (_TASK_SHARE, first)):
            for i in those:
                if self.taken.isdisjoint(those):
                    self._take([i], min(room, self.used + int(room * share)), least=min_share)
        least = _NOD_SHARE * min(self.best, max((self.sentences[i].weight for i in of_newest), default=0.0))
        saying = (i for i in of_newest if self.sentences[i].weight >= least)  # "Begin!" alone says nothing
        for i in sorted(saying, key=lambda i: self.sentences[i].tokens):  # something of the newest has to stay
            if self.taken.isdisjoint(of_newest):
                self._take([i], room, least=0.0)
        self._take_rules(order, room, min_share)
        self._take(order, room)
        chosen = self._kept_requests()
        self.used = sum(request.tokens + LABEL_TOKENS for request in chosen)
        self._take_whole(room)
        if fills:
            self._take(sorted(order, key=lambda i: (-self.sentences[i].request, i)), room, least=0.0)
        chosen = self._kept_requests()
        while self.bundles and sum(request.tokens + LABEL_TOKENS for request in chosen) > room:
            self.taken -= set(self.bundles.pop())
            chosen = self._kept_requests()
        return chosen

    def _best_task_sentences(self, order: Sequence[int]) -> list[int]:
        """Return the sentences in the first paragraph of the first request that say best what is to be done. Orders
        only say how, and are left out if there are other sentences."""
        end = end_of_first_paragraph(self.requests[0].text)
        opening = [i for i in order if self.sentences[i].clause.start < end]
        tasks = [i for i in opening if not (self.places and is_directive(self.sentences[i].clause))] or opening
        least = _NEARLY_BEST * max((self.sentences[i].weight for i in tasks), default=0.0)
        return [i for i in tasks if self.sentences[i].weight >= least]

    def _take_rules(self, order: Sequence[int], room: int, least: float) -> None:
        """Take sentences of older requests that bind everything that follows: first of the first request, then of those
        between, then those of the first request that may bind."""
        if not self.places:
            return
        first = [i for i in order if self.sentences[i].request == 0]
        between = (i for i in order if 0 < self.sentences[i].request < len(self.requests) - 1)
        sure = [i for i in first if is_directive(self.sentences[i].clause)]
        most = min(room, self.used + int(room * _RULE_SHARE))
        self._take(sure, most, least=least)
        for i in sure:
            if self.taken.isdisjoint(sure):
                self._take([i], min(room, self.used + int(room * _TASK_SHARE)), least=least)
        left = most - self.used
        later_rules = [i for i in between if is_directive(self.sentences[i].clause)]
        self._take(later_rules, min(room, self.used + int(room * _LATER_RULE_SHARE)))
        self._take(
            (i for i in first if may_be_rule(self.sentences[i].clause)), min(room, self.used + left), least=least
        )

    def _take_whole(self, room: int) -> None:
        """Take whole requests with what is left of the room, short ones first, and of equal ones the newest. The little
        that a short one says may bind, whatever its value."""
        members = [[*group] for _, group in groupby(range(len(self.sentences)), self._request_of)]
        newest_first = reversed(members) if self.places else ()
        for own in sorted(newest_first, key=lambda own: self.sizes[self._request_of(own[0])] > _SHORT_TOKENS):
            if sum(self.sentences[i].tokens for i in own if i not in self.taken) + LABEL_TOKENS <= room - self.used:
                self._take(own, room, least=0.0)

    def _rank(self, index: int) -> tuple[float, int]:
        sentence = self.sentences[index]
        return -sentence.weight / (sentence.tokens + LABEL_TOKENS) ** 0.5, -index

    def _take(self, order: Iterable[int], room: int, least: float = _NOD_SHARE) -> None:
        """Take bundles in this order while they fit; none for a sentence of almost no worth."""
        open_requests = {self.sentences[i].request for i in self.taken}
        for index in order:
            if index in self.taken or index in self.gaps or self.sentences[index].weight < least * self.best:
                continue
            if least and self._lacks_main_sentence(index):
                continue
            bundle = self._bundle_of(index)
            new_requests = {self.sentences[i].request for i in bundle} - open_requests
            cost = sum(self.sentences[i].tokens for i in bundle) + (LABEL_TOKENS + 2) * len(new_requests)
            if self.used + cost <= room:
                self.used += cost
                open_requests |= new_requests
                self.taken.update(bundle)
                self.bundles.append(bundle)

    def _bundle_of(self, index: int) -> list[int]:
        """Return a sentence with those that it must not stay without: later ones on its subject, and on theirs."""
        bundle, seen = [index], {index}
        for sentence in bundle:
            unseen = [o for o in dict.fromkeys(self.later[sentence]) if o not in seen]
            bundle += (o for o in unseen if o not in self.taken and o not in self.gaps)
            seen.update(unseen)
        return bundle

    def _kept_requests(self) -> tuple[KeptRequest, ...]:
        requests = []
        # in a bundle the last one comes first: none stays without it
        order_of = {i: n for n, i in enumerate(chain.from_iterable(reversed(bundle) for bundle in self.bundles))}
        for number, group in groupby(range(len(self.sentences)), self._request_of):
            members = list(group)
            stays = sorted(
                (index for index, i in enumerate(members) if i in self.taken),
                key=lambda index: order_of.get(members[index], -1),
            )
            kept = [self.sentences[members[index]].clause for index in sorted(stays)]
            request = self.requests[number]
            if kept and self.taken.union(self.gaps).issuperset(members):
                requests.append(KeptRequest(request.message, request.text, self.sizes[number], True))
            elif kept:
                text = join_kept_clauses(request.text, kept, self.sentences[members[-1]].clause)
                requests.append(KeptRequest(request.message, text, self.count(text), False, tuple(stays)))
        return tuple(requests)
