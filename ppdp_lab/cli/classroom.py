"""Commands for lecturers: write a course, and prove it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppdp_lab.cli.base import app, say

classroom = typer.Typer(help="Exercises for a class, graded by nbgrader.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(classroom, name="class")

Exercises = Annotated[
    list[str] | None,
    typer.Option("-e", "--exercise", help="An exercise; all of them unless named, repeat for several."),
]


@classroom.command()
def new(
    folder: Annotated[Path, typer.Argument(help="A folder that is empty or not there yet.")], exercise: Exercises = None
) -> None:
    """Write a ready course: nbgrader's configuration, and the exercises with solutions in source/."""
    from ppdp_lab.classroom.course import EXERCISES, write_course
    from ppdp_lab.text import table

    written = write_course(folder, exercise or None)
    chosen = [EXERCISES[path.stem] for path in written if path.suffix == ".ipynb"]
    say(table(["exercise", "title", "minutes"], [[e.name, e.title, str(e.minutes)] for e in chosen]))
    say(f"\n{len(chosen)} exercises in {folder / 'source'}. In {folder}, for each of them:")
    say("  nbgrader generate_assignment NAME   what students get, in release/")
    say("  nbgrader autograde NAME             what they handed in, in submitted/STUDENT/NAME/")
    say("  nbgrader generate_feedback NAME     what they get back; nbgrader export writes the marks as CSV")


@classroom.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A course that `class new` wrote.")],
    exercise: Exercises = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Exercises that are graded at once.")] = 2,
) -> None:
    """Prove a course: hand in solutions, empty and wrong answers, grade them, and compare what they earn."""
    from tqdm import tqdm

    from ppdp_lab.classroom.course import EXERCISES
    from ppdp_lab.classroom.proving import prove

    bar = tqdm(total=len(exercise or EXERCISES), desc="exercises", disable=None, leave=False)

    def tell(line: str) -> None:
        bar.update()
        tqdm.write(line)

    proofs = prove(folder, exercise or None, jobs=jobs, say=tell)
    bar.close()
    failed = [proof for proof in proofs if proof.problems]
    say(f"{sum(len(proof.marks) for proof in proofs)} submissions; marks in {folder / 'check' / 'marks.csv'}")
    if failed:
        say(
            f"{len(failed)} of {len(proofs)} exercises are not as they should be: {', '.join(p.exercise for p in failed)}"
        )
        raise typer.Exit(1)
    say(f"{len(proofs)} exercises are as they should be.")
