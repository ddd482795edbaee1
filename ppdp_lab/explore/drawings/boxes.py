"""Mondrian's boxes over a plane, and beside them what they risk and what they cost."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import attacks, metrics, plotting
from ppdp_lab.explore.drawings.words import letters
from ppdp_lab.lab import box_frame
from ppdp_lab.release import Release
from ppdp_lab.table import Domain

NAMED = 20  # leaves of a hierarchy that can be named along an axis
RISK, LOSS = plotting.COLOURS[1], plotting.COLOURS[0]


def risks_and_loss(release: Release) -> dict[str, float]:
    """What the bars show, as shares: the risk of being found, largest and mean, values that are certain, and loss.

    >>> from ppdp_lab.lab.measure.tour import people
    >>> import ppdp_lab as pl
    >>> {name: round(share, 2) for name, share in risks_and_loss(pl.Mondrian(pl.KAnonymity(3)).anonymize(people())).items()}
    {'largest risk': 0.33, 'mean risk': 0.33, 'value certain': 0.25, 'loss (GCP)': 0.32, 'loss (entropy)': 0.62}
    """
    published = release.published()
    sizes = published.sizes
    out = {"largest risk": 1 / float(sizes.min()), "mean risk": published.n_groups / len(published)}
    if release.table.schema.sensitive:
        out["value certain"] = attacks.homogeneity(published).share_of_people_breached
    return out | {"loss (GCP)": metrics.gcp(release), "loss (entropy)": metrics.non_uniform_entropy(release)}


def partition(release: Release) -> Figure:
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
