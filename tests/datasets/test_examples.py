"""The papers' worked examples: every one loads, reads as printed, and agrees with what its paper says of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.datasets import examples
from ppdp_lab.datasets.examples import ExampleRelease, bpg, equivalence, i3m, mdistinct, speedy
from ppdp_lab.datasets.examples.equivalence import BucketGraph, Matrices
from ppdp_lab.datasets.examples.forms import over_common_domains
from ppdp_lab.datasets.examples.mdistinct import UpdateGraph
from ppdp_lab.datasets.examples.register import PAPERS
from ppdp_lab.errors import UnknownNameError
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.release.forms import Published
from ppdp_lab.table import Microdata, Schema


def as_release(example: ExampleRelease) -> Release:
    """The release that an example's plain data describes, with the printed boxes where it has any."""
    boxes = None if example.anatomized else Published.from_frame(example.printed, example.table).boxes
    fake = example.counterfeits
    return Release(
        example.table,
        example.class_of,
        boxes,
        style="anatomized" if example.anatomized else "generalized",
        grouped=True,
        counterfeits=Counterfeits(example.counterfeit_class, fake.sensitive_codes, fake.qi_codes),
        pseudonyms=example.pseudonyms,
    )


def releases(found: object) -> Iterator[ExampleRelease]:
    if isinstance(found, ExampleRelease):
        yield found
    elif isinstance(found, tuple):
        for part in found:
            yield from releases(part)


RELEASES = [name for name in examples.names() if any(releases(examples.load(name)))]
SERIES = {
    "bpg.table_1": bpg.table_1,
    "bpg.table_3": bpg.table_3,
    "mdistinct.diverse_series": mdistinct.diverse_series,
    "mdistinct.distinct_series": mdistinct.distinct_series,
    "equivalence.naive_series": equivalence.naive_series,
    "equivalence.invariant_series": equivalence.invariant_series,
    "equivalence.merged_series": equivalence.merged_series,
    "equivalence.table_7": equivalence.table_7,
}


class TestRegistry:
    def test_names(self) -> None:
        assert Counter(name.split(".")[0] for name in examples.names()) == {
            "bpg": 3,
            "speedy": 13,
            "mdistinct": 11,
            "equivalence": 18,
            "i3m": 1,
        }
        assert examples.names("i3m") == ["i3m.table_1"]
        assert len(RELEASES) == 17
        assert set(examples.names()) == set().union(*(examples.names(paper) for paper in PAPERS))

    @pytest.mark.parametrize("name", examples.names())
    def test_every_example_loads_and_says_what_it_is(self, name: str) -> None:
        assert examples.load(name) is not None
        paper, function = name.split(".")
        words = getattr(getattr(examples, paper), function).__doc__
        assert "[1]_" in words or function == "candidate_update_sets"
        assert ">>>" in words

    def test_near_misses(self) -> None:
        with pytest.raises(
            UnknownNameError, match=r"unknown worked example 'speedy\.tabel_1'; did you mean 'speedy\.table_1'"
        ):
            examples.load("speedy.tabel_1")
        with pytest.raises(UnknownNameError, match="unknown paper 'mdistict'; did you mean 'mdistinct'"):
            examples.names("mdistict")

    @pytest.mark.parametrize("name", RELEASES)
    def test_loading_twice_gives_the_same_and_no_shared_frame(self, name: str) -> None:
        for first, second in zip(releases(examples.load(name)), releases(examples.load(name))):
            assert first.table.fingerprint() == second.table.fingerprint()
            assert first.printed is not second.printed
            pd.testing.assert_frame_equal(first.printed, second.printed)


class TestReleases:
    @pytest.mark.parametrize("name", RELEASES)
    def test_plain_data_makes_a_release(self, name: str) -> None:
        for example in releases(examples.load(name)):
            release = as_release(example)
            assert (release.sizes >= 2).all()
            assert release.n_counterfeits == len(example.counterfeits)
            assert len(example.printed) == len(example.table) + len(example.counterfeits)
            assert [len(owners) for owners in example.groups()] == release.sizes.tolist()

    @pytest.mark.parametrize("name", RELEASES)
    def test_printed_groups_hold_their_members_values(self, name: str) -> None:
        for example in releases(examples.load(name)):
            sensitive = example.table.schema.sensitive[0]
            own = pd.concat([example.table.frame, example.counterfeits.frame])[sensitive].to_dict()
            for owners, values in zip(example.groups(), example.values()):
                assert sorted(own[name] for name in owners) == list(values)
            for name_, number in zip(example.table.ids, example.class_of):
                assert name_ in example.groups()[number]

    @pytest.mark.parametrize("name", RELEASES)
    def test_what_is_read_back_is_what_is_published(self, name: str) -> None:
        for example in releases(examples.load(name)):
            release = as_release(example)
            if example.anatomized:
                quasi, sensitive = release.to_frames()
                assert len(quasi) == len(example.printed)
                assert sensitive["count"].sum() == len(example.printed)
                continue
            read = Published.from_frame(example.printed, example.table)
            columns = ["group", *example.table.schema.quasi_identifiers, *example.table.schema.sensitive]
            shown = example.printed[columns].sort_values(["group", columns[-1]], ignore_index=True)
            again = read.to_frame()
            assert (again.drop(columns="group") == shown.drop(columns="group")).to_numpy().all()
            assert (again["group"] + 1).tolist() == shown["group"].tolist()

    @pytest.mark.parametrize("name", SERIES)
    def test_a_series_shares_its_domains(self, name: str) -> None:
        series = SERIES[name]()
        for example in series:
            for column, domain in series[0].table.domains.items():
                assert example.table.domains[column] is domain
                assert example.counterfeits.domains[column] is domain

    def test_a_person_may_change_over_common_domains(self) -> None:
        frames = {
            "one": pd.DataFrame({"age": [40, 20], "ill": ["b", "a"]}, index=["Ann", "Bob"]),
            "two": pd.DataFrame({"age": [41, 30], "ill": ["c", "a"]}, index=["Ann", "Cy"]),
        }
        tables = over_common_domains(frames, Schema("age", sensitive="ill"), provenance="test")
        for label, frame in frames.items():
            pd.testing.assert_frame_equal(tables[label].frame, frame)


class TestSpeedy:
    def test_tables_1_and_16_have_the_same_rows(self) -> None:
        one, sixteen = speedy.table_1(), speedy.table_16()
        pd.testing.assert_frame_equal(one.frame.drop(columns=["name", "ssn"]), sixteen.frame)
        assert one.identifiers.loc[8].tolist() == ["Simone Zaza", "980-02-8767"]
        assert sixteen.frame.loc[6].tolist() == ["Italy", 1972, "4397", "HIV"]

    def test_figure_4(self) -> None:
        trees = speedy.figure_4()
        assert trees["birthplace"].levels("Colombia") == ["Colombia", "South America", "*"]
        assert trees["birth year"].levels(1974) == ["1974", "[1955, 1974]", "*"]
        assert trees["zipcode"].levels("4352") == ["4352", "435*", "43**", "4***"]
        assert [tree.level_sizes() for tree in trees.values()] == [[5, 2, 1], [41, 2, 1], [8, 3, 1, 1]]

    def test_table_16_for_k_2(self) -> None:
        table = speedy.table_16()

        def safe(levels: dict[str, int]) -> bool:
            columns = {
                name: table.hierarchies[name].generalize(table.frame[name], level) for name, level in levels.items()
            }
            return bool(pd.DataFrame(columns).value_counts().min() >= 2)

        assert [safe({"birthplace": level}) for level in range(3)] == [False, True, True]
        assert not safe({"birthplace": 1, "birth year": 1})
        assert safe({"birthplace": 1, "zipcode": 1})  # the pair that the thesis says fails
        names = table.schema.quasi_identifiers
        solutions = {
            nodes for nodes in itertools.product(range(3), range(3), range(4)) if safe(dict(zip(names, nodes)))
        }
        assert solutions == {
            *((1, 2, z) for z in (1, 2, 3)),
            *((2, 1, z) for z in (2, 3)),
            *((2, 2, z) for z in (1, 2, 3)),
        }

    def test_tables_8_and_9(self) -> None:
        before, after = speedy.table_8(), speedy.table_9()
        assert after.rows == tuple(row - {"a2", "s1"} for row in before.rows)
        assert before.sensitive == after.sensitive == {"s1", "s2"}
        assert largest_confidence(before.rows, before.sensitive) == 1
        assert largest_confidence(after.rows, after.sensitive) == Fraction(2, 3)

    def test_skewness_and_similarity(self) -> None:
        table, class_of = speedy.skewness()
        positive = table.frame["result"].to_numpy() == "positive"
        assert [(int(positive[class_of == c].sum()), int((~positive)[class_of == c].sum())) for c in range(4)] == [
            (1, 49),
            (49, 1),
            (25, 25),
            (25, 9825),
        ]
        assert speedy.similarity() == ("gastric ulcer", "gastritis", "stomach cancer")


def largest_confidence(rows: tuple[frozenset[str], ...], sensitive: frozenset[str]) -> Fraction:
    """Of all rules x -> s with x within a transaction (section 3.5.2 of the thesis)."""
    best = Fraction(0)
    for row in rows:
        for size in range(1, len(row) + 1):
            for known in map(frozenset, itertools.combinations(row, size)):
                support = [other for other in rows if known <= other]
                for item in sensitive - known:
                    best = max(best, Fraction(sum(item in other for other in support), len(support)))
    return best


class TestBpg:
    def test_releases(self) -> None:
        one, two, three = bpg.table_1()
        assert one.values() == [("Flu", "HIV", "Migraine", "Pneumonia")]
        assert two.values() == [("Cancer", "Flu", "Flu", "HIV")]
        assert three.printed.loc["Helen"].tolist() == [1, "30-40", "M-F", "HIV"]
        assert two.pseudonyms is not None and three.pseudonyms is not None
        assert two.pseudonyms.tolist() == [1, 4, 5, 6]
        assert three.pseudonyms.tolist() == [5, 6, 7, 8]

    def test_table_2_is_all_that_is_possible(self) -> None:
        _, two, three = (Counter(release.values()[0]) for release in bpg.table_1())
        possible = set()
        for pair in itertools.combinations_with_replacement(sorted(two | three), 2):
            if Counter(pair) <= two and Counter(pair) <= three:
                rest = [tuple(sorted((release - Counter(pair)).elements())) for release in (two, three)]
                possible.add((pair, *rest))
        assert possible == set(bpg.table_2().itertuples(index=False, name=None))

    def test_table_3(self) -> None:
        first, second = bpg.table_3()
        assert set(first.groups()[0]) & set(second.groups()[0]) == {"3"}
        assert [release.printed.loc["3", "illness"] for release in (first, second)] == ["Flu", "Tuberculosis"]
        before = Counter(first.values()[0])
        after = Counter(value for values in second.values() for value in values)
        assert set(after - before) == {"Tuberculosis", "Cancer", "HIV"}
        assert set((after - before) & Counter(second.values()[0])) == {"Tuberculosis", "Cancer"}
        read = Published.from_frame(second.printed, second.table)
        assert read.pseudonyms is not None
        assert sorted(read.pseudonyms.tolist()) == [1, 2, 3, 4, 5, 6, 7]
        shared = first.table.ids.intersection(second.table.ids)
        fixed = [release.table.frame.loc[shared, ["age", "gender"]] for release in (first, second)]
        pd.testing.assert_frame_equal(*fixed)


class TestMDistinct:
    def test_rows(self) -> None:
        one, two = mdistinct.table_1().frame, mdistinct.table_2().frame
        assert one.loc["Julia"].tolist() == [16_000, 23, "Pneumonia"]
        assert two.loc["Julia"].tolist() == [18_000, 31, "Lung Cancer"]
        changed = (one != two).sum(axis=1).to_dict()
        assert changed == {"Ken": 0, "Julia": 3, "Tom": 2, "Harry": 3, "Lily": 1, "Ben": 3}

    def test_boxes_are_tight_but_for_one_printed_slip(self) -> None:
        loose = []
        for example in (*mdistinct.diverse_series(), mdistinct.table_5()):
            tight = Release(
                example.table,
                example.class_of,
                counterfeits=Counterfeits(
                    example.counterfeit_class, example.counterfeits.sensitive_codes, example.counterfeits.qi_codes
                ),
            )
            for tight_column, column in zip(tight.boxes, as_release(example).boxes):
                pairs = zip(tight_column.labels(), column.labels())
                loose += [pair for pair in pairs if pair[0] != pair[1]]
        assert loose == [("[20, 27]", "[19, 27]")]

    def test_update_sets_cover_all_diseases_once_and_all_updates(self) -> None:
        sets = mdistinct.candidate_update_sets()
        diseases = [disease for update_set in sets for disease in update_set]
        assert sorted(diseases) == mdistinct.table_1().domains["disease"].labels.tolist()
        for before, after in zip(mdistinct.table_1().frame["disease"], mdistinct.table_2().frame["disease"]):
            assert any({before, after} <= update_set for update_set in sets)

    def test_counterfeit_statistics(self) -> None:
        example = mdistinct.table_5()
        published = Published.from_frame(example.printed, example.table, counterfeits=mdistinct.table_6())
        assert published.counterfeits_per_group is not None
        assert published.counterfeits_per_group.tolist() == [0, 0, 1, 1]
        assert example.counterfeit_class.tolist() == [2, 3]

    @pytest.mark.parametrize("graph", [mdistinct.figure_1(), mdistinct.example_4()])
    def test_graphs_give_the_printed_weights_and_risks(self, graph: UpdateGraph) -> None:
        weights = path_weights(graph)
        if graph.path_weights:
            assert weights == graph.path_weights
        total = sum(weights.values())
        risks = [
            sum((w for path, w in weights.items() if path[i] == value), Fraction(0)) / total
            for i, value in enumerate(graph.truth)
        ]
        assert tuple(risks) == graph.risks

    def test_julias_graph_follows_from_the_tables(self) -> None:
        graph = mdistinct.figure_1()
        groups = [
            next(set(values) for owners, values in zip(r.groups(), r.values()) if "Julia" in owners)
            for r in mdistinct.diverse_series()
        ]
        assert [set(level) for level in graph.levels] == groups
        sets = mdistinct.candidate_update_sets()
        feasible = {(a, b) for a in groups[0] for b in groups[1] if any({a, b} <= s for s in sets)}
        assert set(graph.edges[0]) == feasible
        truth = (mdistinct.table_1().frame.loc["Julia", "disease"], mdistinct.table_2().frame.loc["Julia", "disease"])
        assert graph.truth == truth


def path_weights(graph: UpdateGraph) -> dict[tuple[int | str, ...], Fraction]:
    """Equation 1 of the m-Distinct paper: the product of node and edge weights along every path."""
    weights = {(node,): Fraction(1, len(graph.levels[0])) for node in graph.levels[0]}
    for level, edges in zip(graph.levels[1:], graph.edges):
        degree = Counter(source for source, _ in edges)
        weights = {
            (*path, target): weight * Fraction(1, degree[source]) * Fraction(1, len(level))
            for path, weight in weights.items()
            for source, target in edges
            if path[-1] == source
        }
    return weights


class TestEquivalence:
    def test_spot_values(self) -> None:
        assert equivalence.table_1().table.frame.loc["Ellen"].tolist() == [43, 62_000, "measles"]
        assert equivalence.table_2().table.frame.loc["Ellen"].tolist() == [49, 55_000, "measles"]
        assert equivalence.table_3().printed.loc["c1"].tolist() == [2, "[40-49]", "[50k-69k]", "flu"]
        assert equivalence.table_5().printed.loc["c1"].tolist() == [1, 49, 51_000, "cancer"]
        assert equivalence.table_5().counterfeits.frame.loc["c1", "disease"] == "flu"
        assert equivalence.table_6().printed.loc["Ian"].tolist() == [2, 45, 60_000, "measles"]
        assert equivalence.table_7()[0].printed.loc["c2"].tolist() == [2, "qi'2", "measles"]
        assert equivalence.table_7()[1].printed.loc["Jane"].tolist() == [2, "qi10", "cancer"]
        assert equivalence.table_4(anatomized=False).values() == equivalence.table_4().values()
        assert equivalence.table_5(anatomized=False).groups() == equivalence.table_5().groups()

    def test_alice_is_betrayed_by_the_naive_series_only(self) -> None:
        one, two = (set(release.values()[0]) for release in equivalence.naive_series())
        assert one & two == {"cancer"}

    @pytest.mark.parametrize("name", ["invariant_series", "merged_series", "table_7"])
    def test_signatures_are_kept(self, name: str) -> None:
        signature: dict[str, set[str]] = {}
        for release in examples.load(f"equivalence.{name}"):
            for owners, values in zip(release.groups(), release.values()):
                assert len(set(Counter(values).values())) == 1  # each value as often as the others
                for owner in owners:
                    assert signature.setdefault(owner, set(values)) == set(values)

    def test_figure_1_ends_in_the_published_buckets(self) -> None:
        steps = equivalence.figure_1()
        first, second = equivalence.invariant_series()
        assert set().union(*steps["before"].values()) == set(first.table.ids)
        for signature in steps["assignment"]:
            for step, release in (("before", first), ("assignment", second)):
                owners = [o for o, values in zip(release.groups(), release.values()) if values == signature]
                assert set(steps[step][signature]) == {name for group in owners for name in group}
        gone = set(first.table.ids) - set(second.table.ids)
        for before, after in zip(steps["before"].values(), steps["division"].values()):
            assert set(after) == set(before) - gone

    def test_matrices_follow_from_the_tables(self) -> None:
        both = equivalence.example_5()
        series = equivalence.merged_series()
        owners = [group for release in series for group in release.groups()]
        values = [group for release in series for group in release.values()]
        persons = [[int(name in group) for name in both.persons.columns] for group in owners]
        counts = [[group.count(value) for value in both.values.columns] for group in values]
        assert both.persons.to_numpy().tolist() == persons
        assert both.values.to_numpy().tolist() == counts

    @pytest.mark.parametrize(
        "matrices",
        [equivalence.example_6(), *equivalence.example_7().values(), *equivalence.example_8().values()],
    )
    def test_attacks_are_attacks(self, matrices: Matrices) -> None:
        assert matrices.attacks
        for attack in matrices.attacks:
            weights = np.array(attack.weights)
            assert not (weights @ matrices.values.to_numpy()).any()
            sides = pd.Series(weights @ matrices.persons.to_numpy(), index=matrices.persons.columns)
            assert set(sides.index[sides == 1]) == set(attack.left)
            assert set(sides.index[sides == -1]) == set(attack.right)
            assert sides.abs().sum() == 2 * len(attack.left) > 0

    @pytest.mark.parametrize("bucket", list(equivalence.example_7()))
    def test_delta_encoding(self, bucket: str) -> None:
        plain, delta = equivalence.example_7()[bucket], equivalence.example_8()[bucket]
        for before, after in ((plain.persons, delta.persons), (plain.values, delta.values)):
            assert np.diff(before.to_numpy(), axis=0, prepend=0).tolist() == after.to_numpy().tolist()
            assert before.index.equals(after.index) and before.columns.equals(after.columns)
        decoded = {tuple(w - v for w, v in zip(a.weights, (*a.weights[1:], 0))) for a in delta.attacks}
        mirrored = decoded | {tuple(-w for w in weights) for weights in decoded}
        effects = [np.abs(np.array(w) @ plain.persons.to_numpy()).tolist() for w in mirrored]
        for attack in plain.attacks:
            assert np.abs(np.array(attack.weights) @ plain.persons.to_numpy()).tolist() in effects

    @pytest.mark.parametrize(
        ("graphs", "bucket", "series", "cuts"),
        [
            (equivalence.figure_2(), 0, equivalence.merged_series(), [4, 4, 4]),
            (equivalence.figure_3(), 1, equivalence.merged_series(), [2, 2, 2]),
            (equivalence.figure_4(), 1, equivalence.table_7(), [4, 4, 4]),
            (equivalence.figure_2(), 0, equivalence.table_7(), [4, 4, 4]),
        ],
    )
    def test_graphs_follow_from_the_series(
        self,
        graphs: tuple[BucketGraph, ...],
        bucket: int,
        series: tuple[ExampleRelease, ...],
        cuts: list[int],
    ) -> None:
        assert len(graphs) == 3
        for now, graph in enumerate(graphs, 1):
            assert graph.nodes == tuple(range(now + 1))
            present = [set(release.groups()[bucket]) for release in series[:now]]
            edges: dict[tuple[int, int], set[str]] = {}
            for name in set().union(*present):
                times = [i for i, names in enumerate(present, 1) if name in names]
                gone = 0 if times[-1] == now else times[-1] + 1
                edges.setdefault((times[0], gone), set()).add(name)
            assert {edge: set(records) for edge, records in graph.edges.items()} == edges
        assert [smallest_cut(graph) for graph in graphs] == cuts


def smallest_cut(graph: BucketGraph) -> int:
    """Least min-cut over the connected components of two nodes or more, by trying every cut."""
    weights = Counter({frozenset(edge): len(records) for edge, records in graph.edges.items()})

    def cut(side: Iterable[int]) -> int:
        inside = set(side)
        return sum(weight for edge, weight in weights.items() if len(edge & inside) == 1)

    touched = sorted(set().union(*weights))  # nodes without an edge are components of their own
    sides = [side for size in range(1, len(touched)) for side in itertools.combinations(touched, size)]
    assert all(cut(side) > 0 for side in sides), "the touched nodes hang together"
    return min(cut(side) for side in sides)


class TestI3M:
    def test_losses(self) -> None:
        example = i3m.table_1()
        losses = {name: loss(example.table, parts) for name, parts in {"S": example.clusters, **example.breaks}.items()}
        assert losses == {"S": Fraction(397, 30), "S1": Fraction(67, 5), "S2": Fraction(389, 30)}
        for name, printed in example.printed_loss.items():
            assert float(losses[name]) == pytest.approx(printed, abs=0.01)
        assert losses["S2"] < losses["S"] < losses["S1"]

    def test_covering(self) -> None:
        example = i3m.table_1()
        for record, clusters in example.covered_by.items():
            covering = {
                name
                for name in ("cl1", "cl2")
                if box(example.table, example.clusters[name]) == box(example.table, (*example.clusters[name], record))
            }
            assert covering == set(clusters)
        assert set(example.covered_by) == set(example.clusters["cl3"])

    def test_breaks_move_records_only_to_clusters_that_cover_them(self) -> None:
        example = i3m.table_1()
        made = set()
        for parts in example.breaks.values():
            assert sorted(record for members in parts.values() for record in members) == example.table.ids.tolist()
            for name, members in parts.items():
                for record in set(members) - set(example.clusters[name]):
                    assert name in example.covered_by[record]
            made.add(tuple(sorted(parts.items())))
        assert len(made) == np.prod([len(clusters) for clusters in example.covered_by.values()]) == 2

    def test_hierarchies(self) -> None:
        trees = i3m.table_1().table.hierarchies
        assert (trees["zipcode"].height, trees["gender"].height) == (5, 1)


def box(table: Microdata, members: tuple[str, ...]) -> tuple[object, ...]:
    """Definition 3 of the I3M paper: smallest interval, lowest common ancestors."""
    rows = table.frame.loc[list(members)]
    ages = (rows["age"].min(), rows["age"].max())
    return (ages, *(table.hierarchies[name].common_ancestor(rows[name]) for name in ("zipcode", "gender")))


def loss(table: Microdata, clusters: dict[str, tuple[str, ...]]) -> Fraction:
    """Definitions 4 and 5 of the I3M paper, in fractions."""
    ages = table.frame["age"]
    total = Fraction(0)
    for members in clusters.values():
        rows = table.frame.loc[list(members)]
        share = Fraction(int(rows["age"].max() - rows["age"].min()), int(ages.max() - ages.min()))
        for name in ("zipcode", "gender"):
            tree = table.hierarchies[name]
            share += Fraction(int(tree.node_height[tree.node(tree.common_ancestor(rows[name]))]), tree.height)
        total += len(members) * share
    return total
