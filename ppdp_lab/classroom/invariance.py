"""Exercise: m-invariance. Balancing a bucket: newcomers where there are some, counterfeits where there are none.

References
----------
.. [1] X. Xiao, Y. Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.
.. [2] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ppdp_lab.classroom.answers import DISEASES, NAMES, Unreadable, kind_of, labels, same, tally
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

Balanced = tuple[list[str], list[str]]
NEWCOMERS = ("Kai", "Lea", "Max", "Nora", "Otto", "Pia", "Quinn", "Rosa", "Sam", "Tia", "Udo", "Vera")


@dataclass(frozen=True)
class Bucket:
    """Those who stay in a bucket, and all newcomers who look for one: people and their diseases.

    >>> Bucket({"Alice": "cancer", "Chris": "cancer"}, {"Greg": "flu"}).newcomers
    {'Greg': 'flu'}
    """

    stay: dict[str, str]
    newcomers: dict[str, str]


def balance(bucket: Bucket, signature: list[str]) -> Balanced:
    """Newcomers to take in, and values of counterfeits, so that all values of the signature are equally frequent.

    >>> balance(Bucket({"Alice": "cancer", "Chris": "cancer"}, {"Greg": "flu"}), ["cancer", "flu"])
    (['Greg'], ['flu'])
    """
    there = Counter(bucket.stay.values())
    taken: list[str] = []
    invented: list[str] = []
    for value in signature:
        missing = max(there.values()) - there[value]
        willing = [name for name, has in bucket.newcomers.items() if has == value][:missing]
        taken += willing
        invented += [value] * (missing - len(willing))
    return taken, invented


# ---------------------------------------------------------------------- wrong ways
def newcomers_from_outside(bucket: Bucket, signature: list[str]) -> Balanced:
    """Places are filled by whoever comes, whatever they have."""
    _, invented = balance(Bucket(bucket.stay, {}), signature)
    taken = list(bucket.newcomers)[: len(invented)]
    return taken, invented[len(taken) :]


def counterfeits_only(bucket: Bucket, signature: list[str]) -> Balanced:
    """Invents everything, though there are people."""
    return [], balance(Bucket(bucket.stay, {}), signature)[1]


def one_of_each(bucket: Bucket, signature: list[str]) -> Balanced:
    """Each value present, however often."""
    once = {name: value for value, name in {value: name for name, value in bucket.stay.items()}.items()}
    return balance(Bucket(once, bucket.newcomers), signature)


def everybody_in(bucket: Bucket, signature: list[str]) -> Balanced:
    """All newcomers with a value of the signature, and counterfeits for what that unbalances."""
    taken = {name: value for name, value in bucket.newcomers.items() if value in signature}
    return [*taken], balance(Bucket(bucket.stay | taken, {}), signature)[1]


def missing_people_left_out(bucket: Bucket, signature: list[str]) -> Balanced:
    """Newcomers are taken, and what is still missing stays missing."""
    return balance(bucket, signature)[0], []


def absent_values_forgotten(bucket: Bucket, signature: list[str]) -> Balanced:
    """Goes through the values that are there, not through those that should be."""
    return balance(bucket, [value for value in signature if value in bucket.stay.values()])


# ---------------------------------------------------------------------- right ways
def by_counters(bucket: Bucket, signature: list[str]) -> Any:
    """Counters subtracted; counterfeits as a Counter, people as a set."""
    full = max(Counter(bucket.stay.values()).values())
    missing = Counter(dict.fromkeys(signature, full)) - Counter(bucket.stay.values())
    taken = set()
    for name, value in reversed(bucket.newcomers.items()):
        if missing[value] > 0:
            missing[value] -= 1
            taken.add(name)
    return taken, +missing


def by_while(bucket: Bucket, signature: list[str]) -> Any:
    """One record at a time until the bucket is even; lists, the counterfeits as a tuple."""
    values, waiting, taken, invented = list(bucket.stay.values()), dict(bucket.newcomers), [], []
    while len({values.count(value) for value in signature}) > 1:
        rarest = min(signature, key=values.count)
        name = next((name for name, value in waiting.items() if value == rarest), None)
        if name is None:
            invented.append(rarest)
        else:
            del waiting[name]
            taken.append(name)
        values.append(rarest)
    return [taken, tuple(invented)]


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, newcomers: tuple[int, int], enough: bool = False) -> Case:
    """Up to five who stay, up to four newcomers, also with diseases outside the signature."""
    signature = rng.sample(DISEASES, rng.randint(2, 3))
    names = list(NAMES)
    stay = {names.pop(0): rng.choice(signature) for _ in range(rng.randint(1, 5))}
    coming = [rng.choice(DISEASES) for _ in range(rng.randint(*newcomers))]
    if enough:
        coming = balance(Bucket(stay, {}), signature)[1] + coming[:1]
        rng.shuffle(coming)
    return Bucket(stay, dict(zip(NEWCOMERS, coming))), signature


def smaller(bucket: Bucket, signature: list[str]) -> Iterator[Case]:
    """Without one who stays, without a newcomer."""
    for name in bucket.stay:
        if len(bucket.stay) > 1:
            yield replace(bucket, stay={n: v for n, v in bucket.stay.items() if n != name}), signature
    for name in bucket.newcomers:
        yield replace(bucket, newcomers={n: v for n, v in bucket.newcomers.items() if n != name}), signature
    for value in signature:
        if len(signature) > 2 and value not in bucket.stay.values():
            yield bucket, [other for other in signature if other != value]


def show(bucket: Bucket, signature: list[str]) -> str:
    """Who stays, who comes, and the signature."""
    words = [
        (what, ", ".join(f"{name} ({value})" for name, value in some.items()) or "nobody")
        for what, some in (("stay", bucket.stay), ("newcomers", bucket.newcomers))
    ]
    return "\n".join([*(f"{what}: {who}" for what, who in words), f"signature: {', '.join(signature)}"])


def read(value: Any) -> tuple[frozenset[str], dict[str, int]]:
    """Newcomers as a set of names, counterfeits as counts of values."""
    if isinstance(value, (str, dict, set, frozenset)) or not hasattr(value, "__iter__"):
        raise Unreadable(kind_of(value))
    parts = list(value)
    if len(parts) != 2:
        raise Unreadable(f"{len(parts)} things instead of two")
    return labels(parts[0]), tally(parts[1])


def agree(case: Case, one: Any, other: Any) -> bool:
    """Whether two answers take as many newcomers of each value, whoever they are, and the same counterfeits."""
    has = case[0].newcomers
    values = [Counter(has.get(name, f"{name}, who is no newcomer") for name in answer[0]) for answer in (one, other)]
    return values[0] == values[1] and same(one[1], other[1])


def concern(case: Case, given: tuple[frozenset[str], dict[str, int]], right: Any) -> Concern:
    """Somebody who stays and is told apart, or a newcomer who was not needed or left waiting."""
    bucket, signature = case
    taken, invented = given
    strangers = [name for name in taken if name not in bucket.newcomers]
    if strangers:
        return Concern(
            str(min(strangers, key=str)), "This is none of the newcomers, so nobody of that name can be taken in."
        )
    somebody = next(iter(bucket.stay))
    outside = sorted(name for name in taken if bucket.newcomers[name] not in signature)
    if outside:
        return Concern(
            somebody,
            f"{outside[0]} brings {bucket.newcomers[outside[0]]} into the bucket. Who saw {somebody} among "
            f"{' and '.join(signature)} before strikes that row out, and has one candidate less to choose from.",
        )
    now = Counter(bucket.stay.values()) + Counter(bucket.newcomers[name] for name in taken) + Counter(invented)
    wanted = {value: now[value] for value in signature}
    if len(set(wanted.values())) > 1:
        often = max(wanted, key=lambda value: wanted[value])
        return Concern(
            somebody,
            f"The bucket now shows {', '.join(f'{n} x {value}' for value, n in wanted.items())}: an adversary guesses {often} "
            f"and is right more often than once in {len(signature)}.",
        )
    waiting = sorted(name for name, value in bucket.newcomers.items() if name not in taken and invented.get(value, 0))
    if waiting:
        return Concern(
            waiting[0],
            f"Has the value that a counterfeit was invented for, and is left waiting: an adversary learns nothing by it, but the "
            f"published table tells of somebody who does not exist, and {waiting[0]} may need counterfeits elsewhere.",
        )
    return Concern(
        somebody, "An adversary learns nothing by it, but more rows are added than it takes to hide everybody."
    )


EXERCISE = Exercise(
    name="invariance",
    title="m-invariance",
    minutes=35,
    explorer="series",
    tasks=(
        Task(
            name="balance",
            returns="two things: the newcomers to take in, by name, and the values of the counterfeits",
            answer=balance,
            read=read,
            steps={
                "missing": lambda rng: draw(rng, newcomers=(0, 0)),
                "newcomers": lambda rng: draw(rng, newcomers=(0, 1), enough=True),
                "both": lambda rng: draw(rng, newcomers=(1, 4)),
            },
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    newcomers_from_outside,
                    "taking in whoever comes: a newcomer whose value is not the one that is missing breaks the signature.",
                ),
                Mistake(
                    counterfeits_only,
                    "inventing a counterfeit where a newcomer with that value is waiting: people first, then counterfeits.",
                ),
                Mistake(
                    one_of_each,
                    "making sure that each value occurs: they must occur equally often, or one of them is a good guess.",
                ),
                Mistake(
                    everybody_in,
                    "taking in all newcomers with a value of the signature: take as many as are missing, the others find a "
                    "place when new buckets are made.",
                ),
                Mistake(
                    missing_people_left_out,
                    "leaving a gap where no newcomer fits: that is what counterfeits are for.",
                ),
                Mistake(
                    absent_values_forgotten,
                    "going through the values that are in the bucket: a value of the signature that nobody has any more is "
                    "missing most of all.",
                ),
            ),
            right_too=(by_counters, by_while),
            agree=agree,
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
