"""The training clause: how accurate the network must be, and how fast a card must train it."""

from __future__ import annotations

from autograder.contract.cards import Card, Sla, load_cards, minutes_text
from autograder.contract.clauses import Clause, Quantity, status_of

SECONDS_PER_MINUTE = 60


def accuracy_row(card: Card | None) -> tuple[Card, Sla]:
    """The row that judges accuracy: the card's own; without a card, or without a row, the strictest of all."""
    if card and card.sla:
        return card, card.sla
    return max(((other, other.sla) for other in load_cards() if other.sla), key=lambda row: row[1].fraction)


def verdict(accuracy: float, seconds: float | None, card: Card | None) -> list[Clause]:
    """Judge a finished training by the contract.

    Args:
        accuracy: correct / total on the test set, 0 to 1.
        seconds: of training. With a card: on that card, None where it did not do the training. Without: on anything.
        card: the card to judge, or None.

    Returns:
        The accuracy clause and the time clause. Without a card, or for one that has no row of its own, accuracy is
        judged by the strictest row, and the time clause is unverified, never passed.
    """
    return [_accuracy_clause(accuracy, card), _time_clause(seconds, card)]


def _accuracy_clause(accuracy: float, card: Card | None) -> Clause:
    judge, row = accuracy_row(card)
    whose = judge.name if judge is card else f"the strictest row, {judge.name}"
    return Clause(
        name="accuracy",
        status=status_of(accuracy >= row.fraction),
        required=f"{row.accuracy} ({whose})",
        found=f"{100 * accuracy:.2f} %",
        basis="measured",
        quantity=Quantity(accuracy, row.fraction, "fraction"),
    )


def _time_clause(seconds: float | None, card: Card | None) -> Clause:
    if card is None:
        here = f"{duration_text(seconds)} on this machine; " if seconds is not None else ""
        required = "the time of a card of the contract"
        return _no_time(required, f"{here}unverified: no card of the contract did this training")
    if card.sla is None:
        return _no_time("no time is set", f"unverified: the training clause has no row for the {card.name}")
    required = f"{card.sla.time} ({card.name})"
    if seconds is None:
        return _no_time(required, f"unverified: no training on a {card.name} was timed")
    bound = card.sla.minutes * SECONDS_PER_MINUTE
    return Clause(
        name="training time",
        status=status_of(seconds <= bound),
        required=required,
        found=duration_text(seconds),
        basis="measured",
        quantity=Quantity(seconds, bound, "s"),
    )


def _no_time(required: str, found: str) -> Clause:
    return Clause("training time", "unverified", required, found, "none")


def duration_text(seconds: float) -> str:
    """``6720`` → ``"1 h 52 m"``, ``312`` → ``"5 m 12 s"``, ``9.4`` → ``"9.4 s"``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, SECONDS_PER_MINUTE)
    if minutes >= 60:
        return minutes_text(minutes)
    return f"{minutes} m {rest} s" if minutes else f"{rest} s"
