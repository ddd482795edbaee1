"""The public names that take arrays, each with arguments that it accepts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import ppdp_lab as pl
from ppdp_lab.attacks import Background, Presence
from ppdp_lab.metrics import Queries
from ppdp_lab.release import Counterfeits
from ppdp_lab.republish import PUBLISHERS
from ppdp_lab.table import Boxes, Cells, Intervals, Nodes, Sets, group, sum_hashes, value_masks


class Doors:
    """Public names that take arrays; each is called with good arguments, one of which is then replaced."""

    def __init__(self) -> None:
        n = 8
        frame = pd.DataFrame(
            {
                "age": [20, 21, 30, 31, 40, 41, 50, 51],
                "town": list("abcdabcd"),
                "zone": ["p1", "p2", "q1", "q2"] * 2,
                "ill": ["flu", "HIV", "flu", "cold", "cold", "HIV", "flu", "cold"],
            }
        )
        trees = {"zone": pl.Hierarchy.from_dict({"p": ["p1", "p2"], "q": ["q1", "q2"]})}
        schema = pl.Schema(["age", "town", "zone"], "ill")
        self.table = table = pl.Microdata(frame, schema, trees)
        self.release = release = pl.Release(table, np.repeat([0, 1], 4))
        class_of = np.repeat([0, 1], 4)
        age, town, zone = table.qi_domains
        published = release.to_frame()
        quasi, sensitive = pl.Anatomy(2, seed=1).anonymize(table).to_frames()
        background = Background.worst_case([release])
        members = {d.name: np.ones((2, len(d)), dtype=bool) for d in (*table.qi_domains, *table.sensitive_domains)}
        low, high = np.zeros(2, dtype=np.int32), np.full(2, 7, dtype=np.int32)

        def boxes(low: Any, high: Any, bits: Any, node: Any, n: Any) -> Any:
            made = Boxes((Intervals(age, low, high), Sets(town, bits), Nodes(zone, node)), n)
            return pl.Release(table, class_of, made).to_frame()

        def fakes(class_of: Any, sensitive: Any, qi: Any, ids: Any, pseudonyms: Any) -> Any:
            made = Counterfeits(class_of, sensitive, qi, ids, pseudonyms)
            return pl.Release(table, np.repeat([0, 1], 4), counterfeits=made).to_frame()

        def known(persons: Any, qi: Any, groups: Any) -> Any:
            return Background(table.ids, [Presence(persons, qi, groups)], table.qi_domains).to_frame()

        def counted(class_of: Any, n_classes: Any, sensitive: Any) -> Any:
            return pl.ClassCounts.count(class_of, n_classes, sensitive, table.sensitive_domains).histogram().distinct

        one = np.zeros((1, 1), dtype=np.int32)
        fine: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
            (
                "Release",
                self._release,
                {"class_of": class_of, "pseudonyms": np.arange(n), "ties": np.arange(2), "dirty": []},
            ),
            (
                "Boxes",
                boxes,
                {"low": low, "high": high, "bits": np.full((2, 1), 15, np.uint64), "node": np.full(2, 6), "n": 2},
            ),
            (
                "Counterfeits",
                fakes,
                {
                    "class_of": one[0],
                    "sensitive": one,
                    "qi": np.zeros((3, 1), np.int32),
                    "ids": one[0],
                    "pseudonyms": one[0],
                },
            ),
            ("Microdata.select", lambda rows: table.select(rows).frame, {"rows": [0, 1]}),
            (
                "Microdata.with_codes",
                lambda qi, s: table.with_codes(qi_codes=qi, sensitive_codes=s).frame,
                {"qi": table.qi_codes, "s": table.sensitive_codes},
            ),
            (
                "Microdata.with_records",
                lambda ids, qi, s: table.with_records(ids, qi, s).frame,
                {"ids": table.ids, "qi": table.qi_codes, "s": table.sensitive_codes},
            ),
            ("Microdata", lambda ids: pl.Microdata(frame, schema, trees, ids=ids).frame, {"ids": list(range(n))}),
            ("Microdata.project", table.project, {"quasi_identifiers": ["age"]}),
            ("Microdata.codes", table.codes, {"name": "age"}),
            (
                "Schema",
                pl.Schema,
                {"quasi_identifiers": ["a"], "sensitive": ["b"], "identifiers": ["c"], "domains": {"a": [1]}},
            ),
            ("Hierarchy", pl.Hierarchy, {"table": [["a", "*"], ["b", "*"]]}),
            ("Hierarchy.from_levels", pl.Hierarchy.from_levels, {"levels": {"a": ["*"]}}),
            ("Hierarchy.from_dict", pl.Hierarchy.from_dict, {"tree": {"a": ["b"]}}),
            ("Hierarchy.intervals", pl.Hierarchy.intervals, {"values": [1, 2], "widths": [1, 2], "origin": 0}),
            ("Hierarchy.mask_suffix", pl.Hierarchy.mask_suffix, {"values": ["12", "13"]}),
            ("Hierarchy.generalize", trees["zone"].generalize, {"values": ["p1"], "level": 1}),
            ("Hierarchy.common_ancestor", trees["zone"].common_ancestor, {"values": ["p1"]}),
            ("ClassCounts.count", counted, {"class_of": class_of, "n_classes": 2, "sensitive": table.sensitive_codes}),
            (
                "ClassCounts.of_values",
                lambda classes: pl.ClassCounts.of_values(classes).histogram().distinct,
                {"classes": [["a"], ["b"]]},
            ),
            (
                "Background.with_groups",
                lambda groups: background.with_groups(groups).to_frame(),
                {"groups": [class_of]},
            ),
            ("Background.of_series", Background.of_series, {"tables": [table]}),
            ("Background[]", background.__getitem__, {"which": 0}),
            (
                "Background",
                lambda ids: Background(ids, background.releases, table.qi_domains).to_frame(),
                {"ids": table.ids},
            ),
            ("Presence", known, {"persons": np.arange(n), "qi": table.qi_codes, "groups": class_of}),
            (
                "Queries.of_members",
                lambda age: pl.metrics.true_counts(table, Queries.of_members(table, members | {"age": age})),
                {"age": members["age"]},
            ),
            ("Queries.of", lambda conditions: Queries.of(table, conditions), {"conditions": [{"age": (20, 30)}]}),
            ("Queries.of a value", lambda value: Queries.of(table, [{"age": value}]), {"value": [20]}),
            ("Queries.take", lambda rows: Queries.of_members(table, members).take(rows).words(0), {"rows": [0]}),
            ("Snapshot", pl.Snapshot, {"table": table, "number": 0, "inserted": [0], "deleted": [], "updated": []}),
            (
                "UpdateModel",
                pl.UpdateModel,
                {"values": ["a", "b"], "targets": [[0, 1], [1]], "chances": [[0.5, 0.5], [1.0]]},
            ),
            ("UpdateModel.blocks", pl.UpdateModel.blocks, {"blocks": [["a"], ["b"]]}),
            ("UpdateModel.in_blocks", pl.UpdateModel.in_blocks, {"values": ["a", "b"], "d": 2}),
            ("UpdateModel.from_matrix", pl.UpdateModel.from_matrix, {"matrix": np.eye(2), "values": ["a", "b"]}),
            ("UpdateModel.learned", pl.UpdateModel.learned, {"tables": [table, table], "column": "ill", "stay": True}),
            ("Background.with_model", background.with_model, {"model": pl.UpdateModel.constant(["flu"])}),
            (
                "SensitiveUpdateGraph.from_edges",
                lambda levels, edges: pl.SensitiveUpdateGraph.from_edges(levels, edges).posterior(),
                {"levels": [["a", "b"], ["c"]], "edges": [[("a", "c")]]},
            ),
            (
                "SensitiveUpdateGraph.risks",
                pl.SensitiveUpdateGraph.from_edges([["a", "b"], ["c"]], [[("a", "c")]]).risks,
                {"truth": ["a", "c"]},
            ),
            ("MDistinct", lambda **said: pl.MDistinct(**said).publish(table), {"m": 2, "model": None, "star": False}),
            (
                "UpdateStream",
                lambda **said: list(pl.UpdateStream(table, **said)),
                {"initial": 4, "deletes": 1, "inserts": 1, "updates": 2},
            ),
            ("KAnonymity.check", pl.KAnonymity(2).check, {"release": release}),
            ("il_optimization", pl.il_optimization, {"release": release}),
            ("datasets.load", pl.datasets.load, {"name": "adlt"}),
            (
                "snapshots_from_folder",
                lambda folder, id: list(pl.snapshots_from_folder(folder, schema, id=id)),
                {"folder": "/nowhere", "id": "id"},
            ),
        ]
        fine += self._counting()
        for column in published:
            fine.append(
                (
                    f"Published.from_frame {column}",
                    self._from_frame(published, column),
                    {"cells": published[column].to_numpy()},
                )
            )
        for which, shown in (("quasi", quasi), ("sensitive", sensitive)):
            for column in shown:
                fine.append(
                    (
                        f"Published.from_frames {which} {column}",
                        self._from_frames(quasi, sensitive, which, column),
                        {"cells": shown[column].to_numpy()},
                    )
                )
        for metric in pl.metrics.METRICS.values():
            more = {"k": 2, "queries": Queries.of_members(table, members)}
            fine.append(
                (f"metric {metric.name}", metric, {"release": release} | {name: more[name] for name in metric.needs})
            )
        for rule in (
            pl.KAnonymity,
            pl.DistinctLDiversity,
            pl.EntropyLDiversity,
            pl.TCloseness,
            pl.MultiAttributeLDiversity,
        ):
            fine.append((rule.__name__, lambda first, rule=rule: rule(first), {"first": 1}))
        fine.append(("RecursiveCLDiversity", pl.RecursiveCLDiversity, {"c": 1, "l": 2}))
        fine.append(("AlphaKAnonymity", pl.AlphaKAnonymity, {"alpha": 0.5, "k": 2, "values": ["flu"]}))
        for kind in (pl.Mondrian, pl.Flash, pl.Samarati, pl.Incognito, pl.Speedy):
            fine.append((kind.__name__, lambda rule, kind=kind: kind(rule), {"rule": pl.KAnonymity(2)}))
        for kind in (pl.Anatomy, pl.KMember):
            fine.append((kind.__name__, lambda first, seed, kind=kind: kind(first, seed=seed), {"first": 2, "seed": 1}))
            fine.append((f"{kind.__name__}.anonymize", kind(2, seed=1).anonymize, {"table": table}))
        fine.append(("Mondrian.anonymize", pl.Mondrian(pl.KAnonymity(2)).anonymize, {"table": table}))
        for base in (pl.Mondrian(pl.KAnonymity(2)), pl.KMember(2, seed=1)):
            parts = np.zeros(len(table), dtype=np.int32)
            fine.append((f"{type(base).__name__}.divided", base.anonymize_within, {"table": table, "part_of": parts}))
        for name in PUBLISHERS:
            also = {"e": 2} if name == "EEquivalence" else {}
            first = {"I3M": {"k": 2}, "BPG": {"rule": pl.KAnonymity(2)}}.get(name, {"m": 2})
            fine.append((name, PUBLISHERS[name], {"seed": 1, **also, **first}))
            maker = PUBLISHERS[name](**first, **also, seed=1)
            maker.publish(table)
            fine.append((f"{name}.publish", maker.publish, {"snapshot": table}))
        fine += self._attacks()
        self.fine = fine

    def _counting(self) -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
        """Names of the room ``table`` behind which kernels count, and methods that take codes or positions."""
        table, release = self.table, self.release
        age, _, zone = table.qi_domains
        tree, ill = zone.hierarchy, table.sensitive_domains
        assert tree is not None
        class_of, codes = release.class_of, table.codes("ill")
        rows: dict[str, Any] = {"groups": class_of, "n_groups": 2, "n_values": len(ill[0])}
        segments = {"offsets": np.array([0, 4, 8]), "sensitive": table.sensitive_codes}
        nodes, out = {"low": [0, 2], "high": [1, 3]}, np.zeros(2, dtype=np.uint64)
        return [
            ("group", group, {"columns": table.qi_codes, "sizes": [len(domain) for domain in table.qi_domains]}),
            ("Cells.count", lambda **said: Cells.count(**said).masks(), rows | {"codes": codes}),
            (
                "Cells",
                lambda offsets, values, n_values: Cells(offsets, values, np.ones(2, np.int64), n_values).masks(),
                {"offsets": [0, 1, 2], "values": [2, 0], "n_values": 3},
            ),
            ("value_masks", value_masks, rows | {"values": codes}),
            ("sum_hashes", sum_hashes, {"class_of": class_of, "codes": codes, "salt": 1, "out": out}),
            (
                "ClassCounts.count_segments",
                lambda offsets, sensitive: pl.ClassCounts.count_segments(offsets, sensitive, ill).histogram().distinct,
                segments,
            ),
            (
                "ClassCounts.count domains",
                lambda domains: pl.ClassCounts.count(class_of, 2, table.sensitive_codes, domains),
                {"domains": ill},
            ),
            (
                "Boxes.around",
                lambda qi, class_of, n: Boxes.around(qi, table.qi_domains, class_of, n).groups(),
                {"qi": table.qi_codes, "class_of": class_of, "n": 2},
            ),
            ("Boxes.take", lambda rows: release.boxes.take(rows).groups(), {"rows": [1, 0]}),
            ("Boxes.covers", release.boxes.covers, {"boxes": class_of, "qi_codes": table.qi_codes}),
            ("Boxes.recode", release.boxes.recode, {"domains": list(table.qi_domains)}),
            ("Boxes of anything", lambda columns: Boxes(columns, 2).groups(), {"columns": release.boxes.columns}),
            ("Intervals", lambda domain: Intervals(domain, class_of, class_of).labels(), {"domain": age}),
            ("Nodes", lambda domain: Nodes(domain, class_of).labels(), {"domain": zone}),
            ("Sets", lambda domain: Sets(domain, np.ones((2, 1), np.uint64)).labels(), {"domain": age}),
            ("Hierarchy.encode", tree.encode, {"values": ["p1"]}),
            ("Hierarchy.lca", tree.lca, nodes),
            ("Hierarchy.levels", tree.levels, {"value": "p1"}),
            ("Hierarchy.node", tree.node, {"label": "p"}),
            ("Microdata.recode", table.recode, {"domains": table.domains}),
            (
                "Microdata.recode a domain",
                lambda domain: table.recode(table.domains | {"age": domain}),
                {"domain": age},
            ),
            (
                "Microdata.shuffled_order",
                lambda rows, chance: table.shuffled_order(chance, rows),
                {"rows": np.arange(4), "chance": np.random.default_rng(1)},
            ),
            ("Domain.decode", age.decode, {"codes": table.codes("age")}),
            ("Domain.only", lambda codes: age.only(codes).labels, {"codes": [0, 1]}),
        ]

    def _attacks(self) -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
        """The attacks, on two tracked releases whose sensitive values have a hierarchy."""
        frame = self.table.frame
        tree = pl.Hierarchy.from_dict({"virus": ["flu", "HIV"], "other": ["cold"]})
        table = pl.Microdata(frame, self.table.schema, self.table.hierarchies | {"ill": tree})
        maker = pl.I3M(2, seed=1)
        releases = [maker.publish(table) for _ in range(2)]
        seen = [release.published(track=True) for release in releases]
        one, two = Background.worst_case(releases[:1]), Background.worst_case(releases)
        doors = []
        for attack in pl.attacks.ATTACKS.values():
            said: dict[str, Any] = {
                "release": {"published": seen[0], "background": one},
                "pair": {"first": seen[0], "second": seen[1], "background": two},
                "series": {"series": seen, "background": two},
            }[attack.sees]
            wanted = [p.name for p in inspect.signature(attack).parameters.values() if p.default is p.empty]
            doors.append((f"attack {attack.name}", attack, said | ({"e": 2} if "e" in wanted else {})))
        return doors

    def _release(self, class_of: Any, pseudonyms: Any, ties: Any, dirty: Any) -> Any:
        made = pl.Release(self.table, class_of, pseudonyms=pseudonyms, ties=ties, dirty=dirty, grouped=True)
        repr(made)
        pl.metrics.ncp(made)
        return made.to_frame(track=made.pseudonyms is not None)

    def _from_frame(self, frame: pd.DataFrame, column: str) -> Callable[..., Any]:
        return lambda cells: pl.Published.from_frame(_replaced(frame, column, cells), self.table).to_frame()

    def _from_frames(self, quasi: pd.DataFrame, sensitive: pd.DataFrame, which: str, column: str) -> Callable[..., Any]:
        def read(cells: Any) -> Any:
            frames = {"quasi": quasi, "sensitive": sensitive}
            frames[which] = _replaced(frames[which], column, cells)
            return pl.Published.from_frames(*frames.values(), self.table).to_frames()

        return read


class NoFrame(Exception):
    """pandas itself refuses such a column."""


def _replaced(frame: pd.DataFrame, column: str, cells: Any) -> pd.DataFrame:
    try:
        return frame.assign(**{column: cells})
    except Exception:
        raise NoFrame from None


def callable_so(function: Callable[..., Any], said: dict[str, Any]) -> bool:
    """Whether a call fits a signature: if it does not, a TypeError is the right answer."""
    try:
        inspect.signature(function).bind(**said)
    except TypeError:
        return False
    except ValueError:
        return True
    return True
