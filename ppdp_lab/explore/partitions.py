"""Mondrian's boxes over a plane, and beside them what they risk and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import attacks, holder, metrics, plotting
from ppdp_lab.anonymize import Mondrian
from ppdp_lab.anonymize.mondrian import CHOICES, CUTS
from ppdp_lab.errors import SchemaError
from ppdp_lab.explore.base import EXPLORERS, Explorer, Knob, Pick, Shown, Stops, Whole, Work, remaining_risk, script
from ppdp_lab.explore.tables import Tables
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness
from ppdp_lab.release import Release
from ppdp_lab.release.pictures import box_frame
from ppdp_lab.table import Domain, Microdata, Schema
from ppdp_lab.text import letters

NAMED = 20  # leaves of a hierarchy that can be named along an axis
RISK, LOSS = plotting.COLOURS[1], plotting.COLOURS[0]


def risks_and_loss(release: Release) -> dict[str, float]:
    """What the bars show, as shares: the risk of being found, largest and mean, values that are certain, and loss.

    >>> import ppdp_lab as pl
    >>> release = pl.Mondrian(pl.KAnonymity(12)).anonymize(pl.datasets.load("adult", rows=12))
    >>> {name: round(share, 2) for name, share in risks_and_loss(release).items()}
    {'largest risk': 0.08, 'mean risk': 0.08, 'value certain': 0.0, 'loss (GCP)': 0.82, 'loss (entropy)': 1.0}
    """
    published = release.published()
    sizes = published.sizes
    out = {"largest risk": 1 / float(sizes.min()), "mean risk": published.n_groups / len(published)}
    if release.table.schema.sensitive:
        out["value certain"] = attacks.homogeneity(published).share_of_people_breached
    return out | {"loss (GCP)": metrics.gcp(release), "loss (entropy)": metrics.non_uniform_entropy(release)}


def draw_partition(release: Release) -> Figure:
    """The boxes of a release with two quasi-identifiers; darker where more people share an area."""
    with plotting.look():
        figure, (ax, bars) = plotting.figure(1, 2, width=4.2, height=4.0, width_ratios=[2.6, 1])
        plotting.partition(ax, box_frame(release))
        x, y = release.table.qi_domains
        _ticks(ax.set_xticks, x)
        _ticks(ax.set_yticks, y)
        title = f"{release.n_classes:,} boxes for {len(release.table):,} people; darker: denser"
        plotting.label(ax, x=letters(x.name), y=letters(y.name), title=title)
        _bars(bars, risks_and_loss(release))
        return figure


def _ticks(put: object, domain: Domain) -> None:
    """Leaves of a hierarchy by name, where there is room for them."""
    if domain.hierarchy is not None and len(domain) <= NAMED:
        labels = [letters(text, 12) for text in domain.labels.tolist()]
        put(domain.coordinates, labels, **({"rotation": 90} if put.__name__ == "set_xticks" else {}))  # type: ignore[operator, attr-defined]


def _bars(ax: Axes, shares: dict[str, float]) -> None:
    names = list(shares)
    colours = [LOSS if name.startswith("loss") else RISK for name in names]
    hatches = ["//" if name.startswith("loss") else "" for name in names]
    drawn = ax.barh(names, list(shares.values()), color=colours, height=0.6, edgecolor="white", linewidth=0)
    for bar, hatch, share in zip(drawn, hatches, shares.values()):
        bar.set_hatch(hatch)
        beside = (share, bar.get_y() + bar.get_height() / 2)
        ax.annotate(f"{share:.1%}", beside, (3, 0), textcoords="offset points", fontsize=8, va="center")
    ax.set(
        xlim=(0, 1.35), xticks=[0, 0.5, 1], xticklabels=["0", "50%", "100%"]
    )  # room for a number beside the longest bar
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_title("risk and loss")


# --------------------------------------------------------------------
# Partition: two quasi-identifiers as a plane, and the boxes that Mondrian cuts it into.


NO_T = "none"
_CHOOSE = {"widest": "the widest attribute", "distinct": "most distinct values", "balanced": "the most balanced cut"}
_CUT = {"median": "after the median", "median-or-below": "after the median or before it"}


class Partition(Explorer):
    """Mondrian over two quasi-identifiers."""

    title = "Partition"
    look = (
        "Watch the boxes merge as k grows, and how far l and t make them grow further where one value is common. "
        "Each box that disappears lowers the risk of being found and raises the loss: look for the k at which one of them "
        "begins to change much faster than the other."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="adult", one_secret=True)

    def knobs(self) -> tuple[Knob, ...]:
        """Table, axes, k, l, t and how Mondrian cuts."""
        x, y = self._axes(self._tables[self._tables.first], "", "")
        return (
            self._tables.knob(),
            x,
            y,
            Whole("k", "k (people)", 20, 2, 200),
            Whole("l", "l (values)", 1, 1, 10),
            Stops("t", "t (distance)", NO_T, options=(0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, NO_T)),
            Pick("choose", "cut first", "widest", options=CHOICES, words=_CHOOSE),
            Pick("cut", "cut where", "median-or-below", options=tuple(CUTS), words=_CUT),
            Knob("strict", "equal values stay together", True),
        )

    def _axes(self, table: Microdata, x: str, y: str) -> tuple[Pick, Pick]:
        fits = sorted((domain for domain in table.qi_domains if drawable(domain)), key=len, reverse=True)
        names = tuple(domain.name for domain in fits)  # those with most values first: they show most
        named = [domain.name for domain in fits if domain.hierarchy is None or len(domain) <= NAMED]
        if len(names) < 2:
            raise SchemaError(
                f"a plane needs two quasi-identifiers that have an order or a hierarchy; of this table only {len(names)} do: "
                f"give text columns a hierarchy"
            )
        across = Pick("x", "across", x if x in names else names[0], options=names)
        rest = [name for name in (*named, *names) if name != across.value]
        return across, Pick("y", "upwards", y if y in rest else rest[0], options=names)

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """The quasi-identifiers that have a place on an axis."""
        return self._axes(self._tables[state["table"]], state["x"], state["y"])

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """The boxes, their risk and their loss."""
        work.step(0, 4, "reading the table")
        table = self._tables[state["table"]]
        x, y = self._axes(table, state["x"], state["y"])
        plane = table.project([x.value, y.value])
        rule = rule_of(state["k"], state["l"], None if state["t"] == NO_T else state["t"])
        mondrian = Mondrian(rule, choose=state["choose"], cut=state["cut"], strict=state["strict"], seed=_seed(state))
        work.step(1, 4, "cutting")
        release = mondrian.anonymize(plane)
        work.step(2, 4, "measuring")
        facts = holder.risk_and_loss(release)
        shares = risks_and_loss(release)
        work.step(3, 4, "drawing")
        says = (
            f"{rule} leaves {release.n_classes:,} boxes for {len(plane):,} people ({plane.provenance}): an adversary who knows a "
            f"person's {x.value} and {y.value} picks their row with a chance of at most {shares['largest risk']:.1%}. "
            f"{shares['loss (GCP)']:.1%} of the two ranges (GCP) and {shares['loss (entropy)']:.1%} of the bits (non-uniform "
            f"entropy) are lost. {remaining_risk(release)}"
        )
        return Shown(
            figure=draw_partition(release),
            alt=f"{release.n_classes} rectangles over {x.value} and {y.value}, and bars for risk and loss. {says}",
            says=says,
            facts=[("", "before", "after"), *facts],
            code=script(
                self._tables.code(state["table"]),
                f"release = {mondrian!r}.anonymize(table.project({[x.value, y.value]!r}))",
                "figure = explore.partitions.draw_partition(release)",
                "plotting.show(figure)",
            ),
            knobs=(x, y),
        )


def _seed(state: Mapping[str, Any]) -> int | None:
    """Relaxed cuts draw lots: always the same ones here, so that the code makes the same picture."""
    return None if state["strict"] else 0


def rule_of(k: int, l: int = 1, t: float | None = None) -> Principle:  # noqa: E741 (the paper's symbol)
    """k-anonymity, with l-diversity and t-closeness where they ask for something.

    >>> rule_of(5), rule_of(5, 3, 0.2)
    (KAnonymity(5), KAnonymity(5) & DistinctLDiversity(3) & TCloseness(0.2))
    """
    rule: Principle = KAnonymity(k)
    rule = rule & DistinctLDiversity(l) if l > 1 else rule
    return rule if t is None else rule & TCloseness(t)


def drawable(domain: Domain) -> bool:
    """Whether its values have a place on an axis, and their generalizations an extent."""
    return domain.hierarchy is not None or domain.kind == "ordered"


@EXPLORERS.add(accepts="two ordered quasi-identifiers", promises=Partition.look, paper="LeFevre et al., ICDE 2006")
def partition(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """Two quasi-identifiers as a plane, Mondrian's boxes, knobs for the rule and the cuts.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        A data set's name, a TOML file, a table, or a frame with its ``schema``.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``k=10``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(Partition(table, schema), knobs)
