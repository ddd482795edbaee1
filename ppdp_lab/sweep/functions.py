"""What can be swept: something with a name, a version and parameters that is called at every point."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import os
import runpy
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Number
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ppdp_lab import datasets
from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.attacks import ATTACKS, Background, Disclosure, UpdateModel
from ppdp_lab.attacks.base import PAIR, RELEASE
from ppdp_lab.attacks.base import get as get_attack
from ppdp_lab.datasets.loading import VIEWS
from ppdp_lab.errors import (
    DirtyRecordsWarning,
    ParameterError,
    PPDPError,
    PublicationError,
    check_items,
    listed,
    unknown,
)
from ppdp_lab.holder.anonymize import make_rule
from ppdp_lab.lab import catalogue, parameters
from ppdp_lab.lab.experiment import Experiment, check_all
from ppdp_lab.lab.identity import code_of, data_names, digest, notebook_hash
from ppdp_lab.lab.parameters import absolute
from ppdp_lab.lab.runner import check as check_experiment
from ppdp_lab.lab.runner import run
from ppdp_lab.lab.runs import ALONE, named
from ppdp_lab.metrics import METRICS as MEASURES
from ppdp_lab.metrics import get as get_metric
from ppdp_lab.metrics import queries_by_selectivity
from ppdp_lab.registry import Entry, Parameter, Registry, Within, arguments_of, key_of, make, parse
from ppdp_lab.release import Release
from ppdp_lab.republish import PUBLISHERS, Publisher, UpdateStream
from ppdp_lab.republish.value_changes import updates_of
from ppdp_lab.sweep.code import code_hash
from ppdp_lab.sweep.grid import Point, combinations
from ppdp_lab.table import Microdata


class Swept(ABC):
    """Base of all that can be swept.

    Attributes
    ----------
    name : str
        How it is called in lines, folders and tables.
    call : callable
        Takes the parameters of a point by name, in whatever process; returns what :func:`tables_of` understands.
    version : str
        Changes whenever it may give other numbers though the package is the same.
    lists : tuple of str
        Parameters that take a list, and are not swept over.
    counting : tuple of str
        Columns of its results that count something off, such as releases, and are no measures.
    exclusive : bool
        Whether it measures time, so that points run one after the other.
    """

    name: str
    call: Callable[..., Any]
    version: str = ""
    lists: ClassVar[tuple[str, ...]] = ()
    counting: tuple[str, ...] = ()
    exclusive: bool = False

    @abstractmethod
    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """Refuse a grid with unknown, missing or wrong parameters."""

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point without what it has no use for, and why, in words; refuses a point that cannot be."""
        return point, []

    def data(self, point: Point) -> list[str]:
        """Names of the data sets that a point uses, as far as its parameters tell."""
        return []


def check_values(parameters: Iterable[Parameter], values: Mapping[str, Sequence[Any]]) -> None:
    """Refuse values of the wrong type or out of range."""
    for parameter in parameters:
        for value in values.get(parameter.name, ()):
            parameter.check(value)


def check_names(who: str, known: Iterable[str], values: Iterable[str]) -> None:
    """Refuse parameters that are not known; near misses are named."""
    known = list(known)
    for name in values:
        if name not in known:
            raise ParameterError(str(unknown(f"parameter of {who}:", name, known)))


def check_complete(who: str, parameters: Iterable[Parameter], values: Iterable[str]) -> None:
    """Refuse a grid that lacks what has no default."""
    given = set(values)
    missing = [p.name for p in parameters if p.required and p.name not in given]
    if missing:
        raise ParameterError(f"{who} needs {listed(missing)}; give it one or more values in the grid")


def tables_of(returned: Any, name: str) -> dict[str, pd.DataFrame]:
    """The tidy tables of what a point returned: a number, a dict, a list of dicts, a frame, or a dict of frames.

    >>> tables_of(0.5, "loss")["results"].to_dict("records")
    [{'loss': 0.5}]
    >>> tables_of([{"release": 1, "fem": 2.0}, {"release": 2, "fem": 1.5}], "publish")["results"]["fem"].tolist()
    [2.0, 1.5]
    """
    if isinstance(returned, (Number, np.generic)):
        column = name if name.isidentifier() else "value"
        return {ALONE: pd.DataFrame({column: [returned]})}
    if isinstance(returned, Mapping) and returned and all(isinstance(v, pd.DataFrame) for v in returned.values()):
        return named(returned)
    if isinstance(returned, Mapping) and returned:
        return named(pd.DataFrame([dict(returned)]))
    if isinstance(returned, (list, tuple)) and returned and all(isinstance(row, Mapping) for row in returned):
        return named(pd.DataFrame(list(returned)))
    if isinstance(returned, pd.DataFrame):
        return named(returned)
    what = "nothing" if returned is None else type(returned).__name__
    empty = "an empty " if isinstance(returned, (Mapping, list, tuple)) and not returned else ""
    raise ParameterError(f"{name} returned {empty}{what}; return a number, a dict, a list of dicts or a DataFrame")


# --------------------------------------------------------------------
# Algorithms and publishers by registry name: which parameters each of them has, and one made of those of a point.


RULE = ("rule", "k", "l", "t")  # what a rule is made of
_PLAIN = {"bool", "int", "float", "str", "None", "Optional"}


def parameters_by_name(entry: Entry[Any]) -> dict[str, Parameter | None]:
    """What a point may say about a member; a rule is made of several, which have no type of their own here."""
    known: dict[str, Parameter | None] = {
        p.name: p for p in entry.parameters if p.name not in entry.member.not_serialized
    }
    return dict.fromkeys(RULE) | known if "rule" in known else known


def make_algorithm(name: str, params: Mapping[str, Any]) -> Anonymizer:
    """An anonymizer by name; a seed is left out if it has none. Points run side by side, so each has one thread.

    >>> make_algorithm("kmember", {"k": 5, "seed": 1})
    KMember(5, seed=1)
    >>> make_algorithm("flash", {"rule": "KAnonymity(5)", "l": 2, "seed": 1})
    Flash(KAnonymity(5) & DistinctLDiversity(2))
    """
    entry = ANONYMIZERS.entry(name)
    threads = {p.name: 1 for p in entry.parameters if p.name == "threads"}
    made: Anonymizer = _made(entry, threads | dict(params))
    return made


def make_publisher(name: str, params: Mapping[str, Any], model: UpdateModel | None = None) -> Publisher:
    """A publisher by name, which knows the update model if it takes one.

    >>> make_publisher("e-equivalence", {"m": 4, "e": 2, "seed": 1}).specification
    'EEquivalence(4, e=2, seed=1)'
    """
    entry = PUBLISHERS.entry(name)
    takes_model = any(p.name == "model" for p in entry.parameters)
    made: Publisher = _made(entry, {**params, "model": model} if takes_model and model is not None else params)
    return made


def _made(entry: Entry[Any], params: Mapping[str, Any]) -> Any:
    known = parameters_by_name(entry)
    inputs = {name: value for name, value in params.items() if name in known or name != "seed"}
    if "rule" in known:
        parts = {name: inputs.pop(name) for name in RULE if inputs.get(name) is not None}
        if not parts:
            raise ParameterError(f"{entry.name} needs a rule: give k, l, t or rule, such as rule='KAnonymity(5)'")
        text = parts.get("rule")
        inputs["rule"] = make_rule(
            text if text is None or isinstance(text, str) else repr(text),
            parts.get("k"),
            parts.get("l"),
            parts.get("t"),
        )
    return make(entry.member, {name: _meant(known.get(name), value) for name, value in inputs.items()})


def _meant(parameter: Parameter | None, value: Any) -> Any:
    """A value as it is meant: the text of a metric, an anonymizer or the like becomes that."""
    types = set() if parameter is None else set(parameter.type.replace("[", " ").replace("]", " ").split()) - {"|"}
    return parse(value) if isinstance(value, str) and types and not types <= _PLAIN else value


def check_applies(entry: Entry[Any], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Which of the named parameters a member has, and why it has not the others, in words.

    >>> check_applies(PUBLISHERS.entry("MInvariance"), ["m", "e"])
    (['m'], ['MInvariance has no e'])
    """
    known = parameters_by_name(entry)
    lacks = [name for name in names if name not in known]
    words = [f"{entry.name} has no {' and no '.join(lacks)}"] if lacks else []
    return [name for name in names if name in known], words


def check_required(entry: Entry[Any], names: Sequence[str]) -> None:
    """Refuse a point that lacks what a member cannot do without."""
    known = parameters_by_name(entry)
    missing = [p.name for p in entry.parameters if p.required and p.name not in names]
    if "rule" in known and set(RULE) & set(names):
        missing = [name for name in missing if name != "rule"]
    if missing:
        what = "a rule, made of k, l, t or rule" if missing == ["rule"] else listed(missing)
        raise ParameterError(f"{entry.name} needs {what}; give it one or more values in the grid")


# --------------------------------------------------------------------
# What the built-in functions measure at a point: releases made by registry name, what they cost, what attacks find.


Count = Annotated[int, Within(at_least=1)]
Chance = Annotated[int, Within(at_least=0)]
RELEASE_METRICS = ("gcp", "fem", "vem")
_TRIED: set[str] = (
    set()
)  # what this process has called once: compiled code is loaded by then, and times are of the work alone


def anonymize(
    *,
    dataset: str,
    algorithm: str,
    rows: Count | None = None,
    seed: Chance = 0,
    metrics: Sequence[str] = RELEASE_METRICS,
    attacks: Sequence[str] = (),
    queries: Count = 500,
    selectivity: Annotated[float, Within(above=0, at_most=1)] = 0.05,
    **rule_and_options: Any,
) -> dict[str, Any]:
    """One release of a data set: what it costs, and what attacks find; all by registry name.

    Parameters
    ----------
    dataset : str
        A data set's name or TOML file.
    algorithm : str
        An anonymizer. Its rule is made of ``rule`` (text such as ``"KAnonymity(5) & DistinctLDiversity(3)"``), ``k``, ``l``
        and ``t``; its other parameters go by their names.
    rows : int, optional
        A random sample of so many rows.
    seed : int
        Of the sample, of the algorithm where it has one, and of the queries.
    metrics, attacks : list of str
        What is measured: metrics, and attacks on one release, whose adversary knows everybody's group. What a metric or
        attack cannot read off such a release is left empty.
    queries, selectivity : int, float
        The workload of ``query_error``.

    Returns
    -------
    dict
        Seconds, classes, suppressed records, every metric, and the share of people whom every attack breaches.

    Examples
    --------
    >>> found = anonymize(dataset="adult", rows=500, algorithm="mondrian", k=5, metrics=["gcp"], attacks=["homogeneity"])
    >>> list(found)
    ['seconds', 'classes', 'suppressed', 'gcp', 'homogeneity']
    """
    table = _table(dataset, rows, seed)
    made = make_algorithm(algorithm, {"seed": seed, **rule_and_options})
    _try_out(repr(type(made)), lambda: made.anonymize(table.select(range(min(200, len(table))))))
    start = time.perf_counter()
    release = made.anonymize(table)
    found = {"seconds": time.perf_counter() - start, **_counts(release)}
    needed = _Needed(release, rule_and_options.get("k"), queries, selectivity, seed)
    del found["counterfeits"], found["dirty"]  # a single release has none
    return found | needed.measures(metrics) | _breaches(attacks, [release], None, {})


def publish(
    *,
    dataset: str,
    publisher: str,
    rows: Count = 5_000,
    releases: Count = 3,
    r: Annotated[int, Within(at_least=0)] | None = None,
    d: Count | None = None,
    seed: Chance = 0,
    metrics: Sequence[str] = RELEASE_METRICS,
    attacks: Sequence[str] = (),
    queries: Count = 500,
    selectivity: Annotated[float, Within(above=0, at_most=1)] = 0.05,
    **rule_and_options: Any,
) -> list[dict[str, Any]]:
    """A series of releases of a changing table, one row for each; all by registry name.

    Parameters
    ----------
    dataset : str
        A data set's name or TOML file.
    publisher : str
        A publisher. Its ``m``, ``e``, ``k`` or rule (see :func:`anonymize`) and other parameters go by their names.
    rows, releases : int
        Records of the first snapshot, and number of releases.
    r : int, optional
        Records that leave at each update, and as many that come; one in ten unless given.
    d : int, optional
        Values change within blocks of d, as in the m-Distinct paper, and publisher and adversary know that; they do not
        change unless given.
    seed : int
        Of the rows, the stream, the publisher and the queries.
    metrics, attacks, queries, selectivity
        As of :func:`anonymize`. Attacks on one release see the last one, those on a pair the last two, those on a series all
        of them so far.

    Returns
    -------
    list of dict
        One row per release.

    Examples
    --------
    >>> found = publish(dataset="occ", rows=300, releases=2, publisher="m_invariance", m=2, attacks=["intersection"])
    >>> [row["release"] for row in found], found[1]["intersection"]
    ([1, 2], 0.0)
    """
    leaving = rows // 10 if r is None else r
    table = _table(dataset, rows + (releases - 1) * leaving, seed)
    models = None if d is None else updates_of(table, d)
    model = None if d is None else UpdateModel.in_blocks(table.sensitive_domains[0], d)
    stream = UpdateStream(
        table, initial=rows, deletes=leaving, inserts=leaving, updates=releases - 1, model=models, seed=seed
    )

    def start_anew() -> Any:
        return make_publisher(publisher, {"seed": seed, **rule_and_options}, model)

    made, found, series = start_anew(), [], []
    _try_out(repr(type(made)), lambda: start_anew().publish(table.select(range(min(200, len(table))))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirtyRecordsWarning)  # they are counted below
        for number, snapshot in enumerate(stream, start=1):
            start = time.perf_counter()
            series.append(made.publish(snapshot))
            row = {"release": number, "seconds": time.perf_counter() - start, **_counts(series[-1])}
            needed = _Needed(series[-1], rule_and_options.get("k"), queries, selectivity, seed)
            settings = {name: rule_and_options[name] for name in ("e",) if name in rule_and_options}
            found.append(row | needed.measures(metrics) | _breaches(attacks, series, model, settings))
    return found


@lru_cache(maxsize=4)
def _table(dataset: str, rows: int | None, seed: int) -> Microdata:
    return datasets.load(dataset, rows=rows, seed=seed)


def forget() -> None:
    """Load data sets anew from now on."""
    _table.cache_clear()


def _try_out(kind: str, attempt: Callable[[], Any]) -> None:
    if kind not in _TRIED:
        _TRIED.add(kind)
        with contextlib.suppress(PPDPError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attempt()


def _counts(release: Release) -> dict[str, Any]:
    return {
        "classes": release.n_classes,
        "suppressed": len(release.suppressed),
        "counterfeits": len(release.counterfeits),
        "dirty": len(release.dirty),
    }


class _Needed:
    """Metrics of a release, those that need more than the release included."""

    def __init__(self, release: Release, k: int | None, queries: int, selectivity: float, seed: int) -> None:
        self.release, self.k = release, k
        self.workload = lambda: queries_by_selectivity(release.table, selectivity, queries, seed=seed)

    def measures(self, names: Sequence[str]) -> dict[str, float]:
        return {get_metric(name).name: self._measure(get_metric(name)) for name in names}

    def _measure(self, metric: Any) -> float:
        given = {name: self.workload() if name == "queries" else self.k for name in metric.needs}
        try:
            return float(metric(self.release, **given))
        except PublicationError:  # this form does not show what the metric reads
            return math.nan


def _breaches(
    names: Sequence[str], releases: Sequence[Release], model: UpdateModel | None, settings: Mapping[str, Any]
) -> dict[str, float]:
    """The share of people whom each attack breaches; NaN where it refuses what is published, or there is no pair."""
    if not names:
        return {}
    known = Background.worst_case(releases).with_model(model)
    return {get_attack(name).name: _breach(get_attack(name), releases, known, settings) for name in names}


def _breach(attack: Any, releases: Sequence[Release], known: Background, settings: Mapping[str, Any]) -> float:
    said = {name: settings.get(name, value) for name, value in attack.settings.items()}
    if attack.sees == PAIR and len(releases) < 2:
        return math.nan
    try:
        series = [release.published(track=attack.needs_pseudonyms) for release in releases]
        if attack.sees == RELEASE:
            found = attack(series[-1], known[len(series) - 1], **said)
        elif attack.sees == PAIR:
            found = attack(*series[-2:], known[len(series) - 2 :], **said)
        else:
            found = attack(series, known, **said)
    except PPDPError:  # the form does not show what it reads, or the series is of no kind that it is meant for
        return math.nan
    return float(found.share_of_people_breached if isinstance(found, Disclosure) else found.share_breached)


# --------------------------------------------------------------------
# The functions that are swept by name, and how their grids are checked against the registries.


KEYWORDS = {"k", "queries"}  # what a metric may need beside the release


class BuiltIn(Swept):
    """A function that makes releases by registry name.

    ``chooser`` is the parameter that names a member of ``family``, and ``make`` makes one, to see whether it can be made.
    """

    lists = ("metrics", "attacks")
    counting = ("release",)

    def __init__(
        self, call: Callable[..., Any], chooser: str, family: Registry[Any], make: Callable[[str, Point], Any]
    ) -> None:
        self.call, self.name = call, call.__name__
        self.chooser, self.family, self.make = chooser, family, make
        self.own = {p.name: p for p in arguments_of(call)}

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        check_complete(self.name, self.own.values(), values)
        check_values((p for p in self.own.values() if p.name not in self.lists), values)
        entries = [self.family.entry(name) for name in values[self.chooser]]
        names = [entry.name for entry in entries]
        doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if doubled:
            raise ParameterError(f"{self.chooser} names {doubled[0]} more than once; give each value once")
        for name in values:
            if name not in self.own and all(name not in parameters_by_name(entry) for entry in entries):
                raise ParameterError(self._nobody_has(name, names))
        for dataset in values["dataset"]:
            if not str(dataset).endswith(".toml"):
                VIEWS.entry(dataset)
        for metric in _listed("metrics", values):
            strange = set(MEASURES[metric].needs) - KEYWORDS
            if strange:
                raise ParameterError(
                    f"{metric} needs {', '.join(strange)}, which {self.name} cannot give it; leave it out"
                )
        for attack in _listed("attacks", values):
            if self.call is anonymize and ATTACKS[attack].sees != RELEASE:
                sees = ATTACKS[attack].sees
                raise ParameterError(
                    f"{attack} sees a {sees} of releases, and anonymize makes one; sweep publish for it"
                )

    def _nobody_has(self, name: str, chosen: Sequence[str]) -> str:
        elsewhere = [entry.name for entry in self.family.entries() if name in parameters_by_name(entry)]
        if elsewhere:
            return (
                f"{name} is a parameter of {', '.join(elsewhere)}, and of none that {self.chooser} names "
                f"({', '.join(chosen)}); leave it out"
            )
        known = set(self.own).union(*(parameters_by_name(self.family.entry(one)) for one in chosen))
        return str(unknown(f"parameter of {self.name}:", name, known))

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point without the parameters that its member does not have."""
        entry = self.family.entry(point[self.chooser])
        kept, words = check_applies(entry, [name for name in point if name not in self.own])
        check_required(entry, kept)
        self.make(entry.name, {name: point[name] for name in kept})
        for metric in point.get("metrics", ()):
            if "k" in MEASURES[metric].needs and "k" not in kept:
                raise ParameterError(f"{metric} needs k, which {entry.name} is not given here; leave it out of metrics")
        kept_of_it = {name: value for name, value in point.items() if name in self.own or name in kept}
        return absolute(kept_of_it, Path.cwd()), words  # own data is found from wherever a worker stands

    def data(self, point: Point) -> list[str]:
        """The data set that a point names."""
        return [point["dataset"]]


def _listed(name: str, values: Mapping[str, Sequence[Any]]) -> list[Any]:
    return check_items(name, values[name][0]) if name in values else []


def built_in() -> dict[str, BuiltIn]:
    """The functions that have a name of their own.

    >>> list(built_in())
    ['anonymize', 'publish']
    """
    found = (
        BuiltIn(anonymize, "algorithm", ANONYMIZERS, make_algorithm),
        BuiltIn(publish, "publisher", PUBLISHERS, make_publisher),
    )
    return {one.name: one for one in found}


# --------------------------------------------------------------------
# Anybody's function: checked by its signature, known by its code.


class PlainFunction(Swept):
    """A function that takes its parameters by name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.call = function
        self.name = getattr(function, "__name__", None) or type(getattr(function, "func", function)).__name__
        try:
            self.signature = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            raise ParameterError(
                f"the parameters of {self.name} cannot be seen; wrap it: lambda k: {self.name}(k)"
            ) from None
        self.parameters = arguments_of(function)
        bare = [p.name for p in self.signature if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
        if bare:
            raise ParameterError(f"{self.name} takes {listed(bare)} by position only; a sweep gives parameters by name")
        self.version = code_hash(function)

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        if all(p.kind is not p.VAR_KEYWORD for p in self.signature):
            check_names(self.name, [p.name for p in self.parameters], values)
        check_complete(self.name, self.parameters, values)
        check_values(self.parameters, values)

    def data(self, point: Point) -> list[str]:
        """What ``dataset`` or ``datasets`` name, if those are names of data sets."""
        defaults = {p.name: p.default for p in self.signature if p.default is not p.empty}
        try:
            named = data_names(defaults | point)
        except ParameterError:  # its own meaning of the word
            return []
        return [name for name in named if name in VIEWS or name.endswith(".toml")]


# --------------------------------------------------------------------
# Points that are notebooks: an experiment, run by papermill at every point, kept among its other runs.


@dataclass(frozen=True)
class RunNotebook:
    """Runs an experiment at a point, or finds the run; gives its result tables."""

    experiment: Experiment
    results: Path
    scale: str
    force: bool

    def __call__(self, **given: Any) -> dict[str, pd.DataFrame]:
        done = run(
            self.experiment,
            results=self.results,
            scale=self.scale,
            given=given,
            force=self.force,
            say=lambda line: None,
            bar=False,
        )
        return done.results


class Notebook(Swept):
    """An experiment at a scale."""

    def __init__(self, experiment: Experiment, results: Path, scale: str, *, force: bool = False) -> None:
        self.experiment, self.name = experiment, experiment.name
        self.call = RunNotebook(experiment, results, scale, force)
        self.known = check_experiment(experiment)
        # Paths of own data are meant from the experiment's folder, and those of a grid from the working folder.
        self.chosen = parameters.absolute(experiment.parameters(scale), experiment.path.parent)
        self.version = digest([notebook_hash(experiment.notebook), code_of(experiment)[0], scale, self.chosen])
        self.exclusive = experiment.exclusive
        said = [(*claim.x, *claim.by, claim.series) for claim in experiment.claims]
        self.counting = tuple(dict.fromkeys(name for names in said for name in names if name))

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        for point in combinations(values):
            parameters.check(point, self.known, self.experiment.notebook.name)
            check_all(self.experiment.ranges, point)

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point with absolute paths: workers may stand elsewhere."""
        return parameters.absolute(point, Path.cwd()), []

    def data(self, point: Point) -> list[str]:
        """What ``dataset`` and ``datasets`` name."""
        return data_names({**self.known, **self.chosen, **point})


# --------------------------------------------------------------------
# From what a user names to what is swept: a function, a built-in one, ``module:function``, or an experiment.


def what_is_swept(function: Any, *, results: Path, scale: str = "quick", force: bool = False) -> Swept:
    """What ``function`` names: see :func:`ppdp_lab.sweep.sweep`.

    >>> what_is_swept("anonymize", results=Path("results")).name
    'anonymize'
    >>> what_is_swept("statistics:mean", results=Path("results")).name
    'mean'
    """
    if isinstance(function, os.PathLike):
        function = os.fspath(function)
    if callable(function):
        return PlainFunction(function)
    if isinstance(function, str) and ":" in function:
        return PlainFunction(imported(function))
    if isinstance(function, Experiment):
        return Notebook(function, results, scale, force=force)
    named = {key_of(name): one for name, one in built_in().items()}
    if not isinstance(function, str):
        raise ParameterError(
            f"a sweep calls a function, or what a text names: {', '.join(named)}, 'module:function', or an experiment; "
            f"not {type(function).__name__}"
        )
    if key_of(function) in named:
        return named[key_of(function)]
    root = catalogue.find_root()
    experiments = catalogue.files(root)
    if not catalogue.is_path(function) and function not in experiments:
        raise unknown("function or experiment", function, [*built_in(), *experiments])
    return Notebook(catalogue.experiment(function, root), results, scale, force=force)


def imported(name: str) -> Callable[..., Any]:
    """The function that ``package.module:function`` or ``file.py:function`` names."""
    module, _, function = name.rpartition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # a console script does not look in the working folder by itself
    try:
        found = runpy.run_path(module) if module.endswith(".py") else vars(importlib.import_module(module))
    except Exception as error:  # importing runs anybody's code
        raise ParameterError(f"cannot import {module!r}: {type(error).__name__}: {error}") from None
    if not callable(found.get(function)):
        known = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
        raise ParameterError(str(unknown(f"function of {module}:", function, known)))
    wanted: Callable[..., Any] = found[function]
    return wanted
