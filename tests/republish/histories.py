"""The adversary who follows rows, in plain Python: groups records by their history of published classes.

It knows nothing of a publisher's memory. It sees what leaves the holder's house with pseudonyms, which class each row was
published in, and counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import ppdp_lab as pl


class Follower:
    """Sees one release after the other, each as {pseudonym: (class, value)}; counterfeits are rows like any other."""

    def __init__(self, k: int = 1, l: int = 1) -> None:  # noqa: E741
        self.k, self.l = k, l
        self.releases: list[dict[int, tuple[int, str]]] = []

    def see(self, release: pl.Release) -> None:
        values = release.table.frame[release.table.schema.sensitive[0]].astype(str).tolist()
        rows = {
            int(name): (int(c), value)
            for name, c, value in zip(release.pseudonyms, release.class_of, values, strict=True)
            if c >= 0
        }
        fakes, domain = release.counterfeit_codes, release.table.sensitive_domains[0]
        for name, c, code in zip(fakes.pseudonyms, fakes.class_of, fakes.sensitive[0], strict=True):
            assert int(name) not in rows
            rows[int(name)] = (int(c), str(domain.labels[code]))
        self.releases.append(rows)

    def safe(self, values: list[str]) -> bool:
        return not values or (len(values) >= self.k and len(set(values)) >= self.l)

    def cells(self) -> dict[tuple[int, ...], list[int]]:
        """Rows by their history of classes, -1 where they were not published."""
        histories: dict[int, list[int]] = defaultdict(lambda: [-1] * len(self.releases))
        for number, rows in enumerate(self.releases):
            for name, (c, _) in rows.items():
                histories[name][number] = c
        out = defaultdict(list)
        for name, history in histories.items():
            out[tuple(history)].append(name)
        return dict(out)

    def broken(self) -> list[tuple[int, ...]]:
        """Histories whose rows break the rule, by the values of any release that shows them."""
        bad = []
        for history, names in self.cells().items():
            shown = [rows for rows, c in zip(self.releases, history) if c >= 0]
            if not all(self.safe([rows[name][1] for name in names]) for rows in shown):
                bad.append(history)
        return bad

    def broken_sets(self) -> list[tuple[str, int, int]]:
        """Intersections and differences of two published classes, of any two releases, that break the rule."""
        bad = []
        for i, j in combinations(range(len(self.releases)), 2):
            one, other = self.releases[i], self.releases[j]
            classes = [defaultdict(set), defaultdict(set)]
            for rows, found in zip((one, other), classes):
                for name, (c, _) in rows.items():
                    found[c].add(name)
            for a in classes[0].values():
                for b in classes[1].values():
                    for what, names, rows in (
                        ("intersection", a & b, one),
                        ("intersection", a & b, other),
                        ("first less second", a - b, one),
                        ("second less first", b - a, other),
                    ):
                        if not self.safe([rows[name][1] for name in names]):
                            bad.append((what, i, j))
        return bad


def invariant(publisher: pl.BPG, follower: Follower) -> None:
    """One neighbourhood per record, one signature per neighbourhood, each safe; and they are the follower's cells."""
    home = publisher.memory["neighbourhood"]
    names = {int(name): person for person, name in enumerate(publisher._pseudonyms)}
    fakes = publisher.memory.get("fake_pseudonym", [])
    home_of = {name: int(home[person]) for name, person in names.items()}
    sign_of = {name: int(publisher.memory["signature"][person]) for name, person in names.items()}
    for number, name in enumerate(fakes):
        home_of[int(name)] = int(publisher.memory["fake_neighbourhood"][number])
        sign_of[int(name)] = int(publisher.memory["fake_signature"][number])
    cells = follower.cells()
    published = {name for members in cells.values() for name in members}
    assert published == {name for name, v in home_of.items() if v >= 0}
    homes = Counter()
    signatures = {}
    for history, members in cells.items():
        assert len({home_of[name] for name in members}) == 1
        homes[home_of[members[0]]] += 1
        presence = tuple(c >= 0 for c in history)
        assert len({sign_of[name] for name in members}) == 1
        assert signatures.setdefault(sign_of[members[0]], presence) == presence
    assert set(homes.values()) <= {1}, "two histories share a neighbourhood"
    assert len(set(signatures.values())) == len(signatures), "one history has two numbers"
