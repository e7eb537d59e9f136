"""What was done and taken back is told once, as what holds now."""

from __future__ import annotations

import pytest

from tests.features.test_standing import acts
from tests.features.working import Session

BOOK = ("book_flight", {"flight": "HUT168", "date": "2026-11-23"}, '{"booking": "BK37566"}')
NODE = ("add_node", {"scene": "a.tscn", "name": "Cam", "type": "Timer"})
EVENT = ("create_event", {"title": "Lunch"}, '{"id": "ev_55aa"}')
ORDER = ("create_order", {"customer": "C-881", "items": ["A77", "B88"]}, '{"order_id": "O-5512"}')


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ((BOOK, ("cancel_booking", {"flight": "HUT168"})), "cancel_booking (flight HUT168)"),
        (
            (BOOK, ("cancel_booking", {"booking_id": "BK37566"})),
            "cancel_booking BK37566, which takes back book_flight HUT168",
        ),
        ((NODE, ("remove_node", {"name": "Cam"})), "remove_node Cam"),
        ((EVENT, ("delete_event", {"id": "ev_55aa"})), "delete_event ev_55aa, which takes back create_event Lunch"),
        (
            (EVENT, ("update_event", {"id": "ev_55aa", "start": "12:00"}), ("delete_event", {"id": "ev_55aa"})),
            "delete_event ev_55aa",
        ),
        ((ORDER, ("cancel_order", {"order_id": "O-5512"})), "cancel_order O-5512"),
        (
            (
                ("subscribe_user", {"list": "news", "email": "a@b.example"}),
                ("unsubscribe_user", {"email": "a@b.example"}),
            ),
            "unsubscribe_user a@b.example",
        ),
        (
            (
                ("passer_commande", {"article": "A4"}, '{"numero": "RDV1252"}'),
                ("annuler_commande", {"numero": "RDV1252"}),
            ),
            "annuler_commande RDV1252",
        ),
        (
            (
                ("создать_задачу", {"хост": "srv-49"}, "Готово: Z-5512"),
                ("отменить_задачу", {"задача": "Z-5512"}, "Готово"),
            ),
            "отменить_задачу (задача Z-5512)",
        ),
        (
            (
                ("注文する", {"店": "寿司よし"}, '{"状態": "完了", "番号": "YK3595"}'),
                ("注文取消", {"番号": "YK3595"}, "完了"),
            ),
            "注文取消 (番号 YK3595)",
        ),
    ],
)
def test_an_act_that_was_taken_back_is_told_no_longer(calls, told):
    texts = acts(*calls)
    assert len(texts) == 1
    assert texts[0].startswith(told.partition(", which")[0])


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (NODE, ("remove_node", {"name": "Cam2"})),  # another thing
        (NODE, ("rename_node", {"name": "Cam"})),  # nothing is taken back
        (ORDER, ("cancel_order_item", {"order_id": "O-5512", "item": "A77"})),  # a part of it
        (ORDER, ("delete_customer", {"customer": "C-881"})),  # something that it was done with
        (
            ("add_items", {"cart": "c-551", "items": ["A77", "B88"]}),
            ("remove_items", {"cart": "c-551", "items": ["A77"]}),
        ),
        (("create_issue", {"title": "x"}, '{"number": 4417}'), ("remove_label", {"issue": 4417, "label": "bug"})),
        (("refund_order", {"order_id": "O-5512"}), ("cancel_order", {"order_id": "O-5512"})),  # the money is gone
        (("rembourser_commande", {"numero": "O-5512"}), ("annuler_commande", {"numero": "O-5512"})),
        (("creer_ticket", {"numero": "T-5512"}), ("supprimer_etiquette", {"numero": "T-5512"})),
        (("send_email", {"to": "a@b.example", "subject": "x"}), ("delete_email", {"to": "a@b.example"})),
        (("add_stock", {"sku": "S-1001", "count": 5}), ("remove_stock", {"sku": "S-1001", "count": 3})),
        (BOOK, ("cancel_booking", {"flight": "HUT168"}, '{"status": "pending approval"}')),  # not yet
        (("book_room", {"number": 7}), ("cancel_booking", {"number": 7})),  # a number that many things have
    ],
)
def test_other_acts_stay_beside_each_other(earlier, later):
    assert len(acts(earlier, later)) == 2


def test_where_several_may_be_meant_all_stay():
    again = ("book_flight", {"flight": "HUT168", "date": "2026-11-30"}, '{"booking": "BK37999"}')
    cancel = ("cancel_booking", {"flight": "HUT168"})
    assert len(acts(BOOK, again, cancel)) == 3
    assert len(acts(BOOK, again, ("cancel_booking", {"booking_id": "BK37999"}))) == 2


def test_what_is_done_anew_is_told_again():
    assert acts(BOOK, ("cancel_booking", {"flight": "HUT168"}), BOOK)[-1].startswith("book_flight")


def test_what_an_earlier_round_tells_is_taken_back():
    session = Session().calls("delete_event", '{"ok": true}', id="ev_55aa")
    assert session.texts(earlier=["create_event ev_55aa Lunch"]) == ["delete_event ev_55aa"]
    assert len(session.texts(earlier=["create_event ev_77bb Lunch"])) == 2


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        ("systemctl start nginx", "systemctl stop nginx", False),
        ("kubectl uncordon n1", "kubectl cordon n1", False),
        ("gh issue close 300", "gh issue reopen 300", False),
        ("systemctl start nginx", "systemctl stop postfix", True),
        ("systemctl enable nginx", "systemctl stop nginx", True),
    ],
)
def test_of_what_a_program_turns_on_and_off_the_newest_is_told(first, then, stays):
    assert Session().runs(first).runs(then).texts() == ([then, first] if stays else [then])


def test_a_commit_that_was_reverted_is_told_with_the_revert():
    session = Session().runs("git commit -m 'Add b'", "[main 2e67f6c] Add b")
    session.runs("git commit -m 'Add c'", "[main 3e67f6c] Add c")
    before = len(session.records)
    session.runs("git revert --no-edit 2e67f6c", '[main 99aaf6c] Revert "Add b"')
    told = ['git revert --no-edit 2e67f6c ("Add b")', 'git commit "Add c" (3e67f6c)']
    assert session.texts() == told
    session.records = session.records[:before]
    session.runs("git revert --no-edit HEAD~1", '[main 99aaf6c] Revert "Add b"')
    assert session.texts()[0] == 'git revert --no-edit HEAD~1 ("Add b")'
    session.runs("git revert -n HEAD~2", "")
    assert len(session.texts()) == 3


def test_what_waits_is_over_once_another_act_names_the_same_thing():
    session = Session().calls("transfer_funds", '{"status": "pending_approval"}', transfer="TR-1001", to="AC-99121")
    assert session.texts("effect") == ["waits: transfer_funds TR-1001 AC-99121: pending_approval"]
    session.calls("approve_transfer", '{"status": "approved"}', transfer="TR-1001")
    assert session.texts("effect") == ["approve_transfer TR-1001"]


@pytest.mark.parametrize(
    "said",
    [
        '{"order_id": "O-5512", "coupon_applied": false}',
        '{"order_id": "O-5512", "shipping_status": "not_shipped"}',
        '{"order_id": "O-5512", "gate_code": 412}',
        "450 EUR charged, order O-5512 placed.",
        "Non-refundable fare booked, order O-5512.",
        "Expired offer replaced, order O-5512 placed.",
    ],
)
def test_how_a_thing_stands_is_no_failure_of_the_act(said):
    (text,) = acts(("place_order", {"customer": "C-881"}, said))
    assert text.startswith("place_order")
