"""What every test gets: a home of its own, and hypothesis settings that do not depend on the machine's speed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

settings.register_profile(
    "local", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True)
settings.register_profile("deep", parent=settings.get_profile("local"), max_examples=400)
settings.register_profile("check", parent=settings.get_profile("local"), max_examples=8)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))


# Notebooks, pages, explorers, subprocesses, threads and large searches: left out by `make check`, which should take about a
# minute; it does not even read them.
SLOW = (
    "adversary/",
    "anonymize/lattice/test_kernels.py",
    "anonymize/lattice/test_packing.py",
    "anonymize/lattice/test_pool.py",
    "anonymize/lattice/test_search.py",
    "anonymize/lattice/test_workers.py",
    "attacks/test_composition.py",
    "attacks/test_equivalence.py",
    "browser/",
    "classroom/",
    "datasets/test_benchmarks.py",
    "docs/",
    "explore/",
    "holder/test_doors.py",
    "experiments/test_bpg_figures.py",
    "experiments/test_equivalence_figures.py",
    "experiments/test_i3m_figures.py",
    "experiments/test_mdistinct_figures.py",
    "experiments/test_speedy_figures.py",
    "lab/test_drawing.py",
    "lab/test_identity.py",
    "lab/test_kernel.py",
    "lab/test_notebook.py",
    "lab/test_parameters.py",
    "lab/test_runner.py",
    "lab/test_runs.py",
    "recipes/",
    "republish/test_bpg.py",
    "republish/test_family.py",
    "sweep/",
    "test_cli.py",
    "test_extras.py",
    "test_showing_sizes.py",
)


def is_slow(path: Path) -> bool:
    """Whether a file, or all files of a folder, are slow."""
    here = Path(__file__).parent
    name = path.relative_to(here).as_posix() if path.is_relative_to(here) else ""
    return f"{name}/".startswith(SLOW) if path.is_dir() else name.startswith(SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files unread where only the others are asked for."""
    return True if config.option.markexpr == "not slow" and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole files as slow; what takes a minute or more is left to `make long`."""
    later = pytest.mark.skip(reason="left to `make long`, which sets PPDP_LAB_LONG")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.slow)
            if not os.environ.get("PPDP_LAB_LONG"):
                item.add_marker(later)
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def home_of_its_own(tmp_path_factory: pytest.TempPathFactory):
    """Nothing a test does may read or write the home folder of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    set_hypothesis_home_dir(home / "hypothesis")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "USERPROFILE"):
            patch.setenv(name, str(home))
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.delenv(name, raising=False)
        yield home
