"""Ask one provider after the other until one answers, and say why it was not the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Protocol

from cachetools import LRUCache

from bot.errors import ProviderError, RequestTooLong
from bot.llm.base import Ask, Conversation, Model, Text, Turn
from bot.model import Usage
from bot.model.money.accounts import Amount

_REMEMBERED_CONVERSATIONS = 1024


class ChainMember(Model, Protocol):
    """A model that can be part of a chain."""

    def offers(self, model: str) -> bool:
        """Return whether a model of this name can be had here."""
        ...

    @property
    def resting(self) -> str:
        """Why it would not be asked at this moment, as a sentence; "" when it would."""
        ...

    @property
    def slow(self) -> bool:
        """Whether it answers, and much slower than usual."""
        ...


def line_up(
    count: int,
    *,
    resting: Collection[int] = (),
    slow: Collection[int] = (),
    answered_last: int | None = None,
    offering: Collection[int] = (),
) -> tuple[int, ...]:
    """Return in which order to ask members 0 to `count` - 1.

    Whoever answered this conversation before has it in its cache and goes on. Else those that have
    the exact model asked for go first, else the configured order decides. Members that are slow
    come behind the others, for new conversations; those whose circuit is open come last.
    """
    return tuple(
        sorted(
            range(count),
            key=lambda i: (i in resting, i != answered_last, i in slow, i not in offering, i),
        )
    )


def highest(amounts: Sequence[Amount]) -> Amount:
    """Return what covers each of the amounts, so that a budget holds whoever answers.

    Its dollars are those that are known, and None if none are.
    """
    known = [amount.usd for amount in amounts if amount.usd is not None]
    return Amount(max(known, default=None), max(amount.tokens for amount in amounts))


def summary(errors: Sequence[ProviderError]) -> str:
    """Return one text for a call that nobody answered."""
    return "No model answered. " + " ".join(str(error) for error in errors)


class Chain:
    """Several models as one.

    Falls back when a member is overloaded, refuses or can't be reached; not when the conversation
    is too long, which no retry makes shorter.

    Args:
        models: In the order of preference.
        says_who_rests: Whether the notes of a turn name the members that were passed over because
            their circuit is open; a server tells its runs by itself.
    """

    def __init__(self, models: Sequence[ChainMember], *, says_who_rests: bool = True) -> None:
        self.name = ", then ".join(model.name for model in models)
        self._models = tuple(models)
        self._says_who_rests = says_who_rests
        self._answered: LRUCache[bytes, int] = LRUCache(_REMEMBERED_CONVERSATIONS)

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the first answer, with the reasons in its notes when it is a fallback's.

        Raises:
            ProviderError: Of the last member's kind, naming every member's reason; its `spent` is
                what all of them cost, and it is `passing` if that of any is. `RequestTooLong` at
                once.
        """
        key = _key(conversation)
        resting = self._resting()
        skipped = self._skipped(key, ask, resting)
        errors: list[ProviderError] = []
        for i in self._order(key, ask, resting):
            asked = self._asked(i, ask)
            if errors and not ask.allows(
                _spent(errors), self._models[i].worst_case(conversation, asked)
            ):
                break
            try:
                turn = await self._models[i].respond(conversation, _less(asked, _spent(errors)))
            except RequestTooLong as error:
                error.spent = _spent([*errors, error])
                raise
            except ProviderError as error:
                errors.append(error)
            else:
                self._answered[key] = i
                why = [*skipped.get(i, ()), *map(str, errors)]
                return _told(turn, why, _spent(errors))
        raise _everybody(errors) from errors[-1]

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost, whoever is asked."""
        return highest(
            [
                model.worst_case(conversation, self._asked(i, ask))
                for i, model in enumerate(self._models)
            ]
        )

    def offers(self, model: str) -> bool:
        """Return whether any member offers it."""
        return any(member.offers(model) for member in self._models)

    @property
    def resting(self) -> str:
        """Why nobody would be asked at this moment; "" when somebody would."""
        resting = self._resting()
        return " ".join(resting.values()) if len(resting) == len(self._models) else ""

    @property
    def slow(self) -> bool:
        """Whether all of them are."""
        return all(model.slow for model in self._models)

    async def warm(self) -> None:
        """Make the first member ready; the others are rarely needed and cost memory."""
        await self._models[0].warm()

    async def close(self) -> None:
        """Release the connections of all."""
        for model in self._models:
            await model.close()

    def _resting(self) -> Mapping[int, str]:
        """Return which members would not be asked now, and why."""
        return {i: reason for i, model in enumerate(self._models) if (reason := model.resting)}

    def _skipped(
        self, key: bytes, ask: Ask, resting: Mapping[int, str]
    ) -> Mapping[int, Sequence[str]]:
        """Return, for each member that may answer, why those before it are not asked."""
        known = self._answered.get(key)
        if not self._says_who_rests or (known is not None and known not in resting):
            return {}  # it goes on where it was, and was told why
        order = self._order(key, ask, ())
        return {
            i: [resting[before] for before in order[:place] if before in resting]
            for place, i in enumerate(order)
            if i not in resting
        }

    def _order(self, key: bytes, ask: Ask, resting: Collection[int]) -> tuple[int, ...]:
        return line_up(
            len(self._models),
            resting=resting,
            slow=[i for i, model in enumerate(self._models) if model.slow],
            answered_last=self._answered.get(key),
            offering=[i for i in range(len(self._models)) if self._asked(i, ask).model],
        )

    def _asked(self, i: int, ask: Ask) -> Ask:
        """Return the question for this member: a model that it does not have is not asked for."""
        if ask.model is None or self._models[i].offers(ask.model):
            return ask
        return replace(ask, model=None)


def _key(conversation: Conversation) -> bytes:
    """Return what tells a conversation from others: its system prompt and its first words."""
    digest = blake2b(conversation.system.encode(errors="replace"), digest_size=16)
    for message in conversation.messages[:1]:
        for block in message.blocks:
            if isinstance(block, Text):
                digest.update(block.text.encode(errors="replace"))
    return digest.digest()


def _less(ask: Ask, spent: Usage) -> Ask:
    """Return the question with what is left of its allowance."""
    allowed = ask.allowance
    if allowed is None or spent == Usage():
        return ask
    usd = None if allowed.usd is None else allowed.usd - (spent.cost_usd or 0)
    return replace(ask, allowance=Amount(usd, allowed.tokens - spent.tokens))


def _spent(errors: Sequence[ProviderError]) -> Usage:
    return sum((error.spent for error in errors if error.spent), start=Usage())


def _told(turn: Turn, why: Sequence[str], lost: Usage) -> Turn:
    """Return the turn with what the failures before it cost, and why it is this member's."""
    notes = (f"{' '.join(why)} {turn.provider} answered instead.",) if why else ()
    return replace(turn, usage=lost + turn.usage, notes=(*notes, *turn.notes))


def _everybody(errors: Sequence[ProviderError]) -> ProviderError:
    if len(errors) == 1:
        return errors[0]
    error = type(errors[-1])(summary(errors))
    error.spent = _spent(errors)
    error.passing = any(provider_error.passing for provider_error in errors)
    return error
