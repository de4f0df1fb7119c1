"""Changes the reference implementation, one place at a time, and asks whether the tests notice.

    python release/mutate_reference.py [--sample N] [--seed S] [--killers] [FILE[:LINE] ...]

The tests hold the reference against the native implementation and both against the written cases, so a mutant that survives all of
them is either a case that no test draws, or a change that changes nothing. Those that change nothing are listed in
equivalent_mutants.json, each with the reason. The exit code is 0 if exactly those survive. Needs a system that can fork.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from mutant_runs import OUT_OF_TIME, REFERENCE, run
from mutations import mutants_of

EQUIVALENTS = Path(__file__).with_name("equivalent_mutants.json")


def read_equivalents() -> dict[tuple[str, str, str], str]:
    """The mutants that are known to change nothing, with the reasons."""
    groups = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
    return {
        (group["file"], group["function"], change): group["reason"] for group in groups for change in group["changes"]
    }


def main() -> int:
    """0 if the survivors are those that are known to change nothing."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("places", nargs="*", metavar="FILE[:LINE]", help="default: all of the reference")
    arguments.add_argument("--sample", type=int, help="only that many mutants, drawn at random")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--killers", action="store_true", help="show which test catches each mutant")
    given = arguments.parse_args()
    all_mutants = [mutant for path in sorted(REFERENCE.glob("*.py")) for mutant in mutants_of(path)]
    chosen = all_mutants
    if given.places:
        places = set(given.places)
        chosen = [each for each in chosen if places & {each.path.name, f"{each.path.name}:{each.line}"}]
    if given.sample:
        chosen = random.Random(given.seed).sample(chosen, given.sample)  # noqa: S311
    print(f"{len(all_mutants)} mutants, {len(chosen)} of them run", flush=True)
    outcome = run(chosen, given.killers)

    equivalents = read_equivalents()
    unknown = [mutant for mutant in outcome.survivors if mutant.name not in equivalents]
    stale = [mutant for mutant in outcome.killers if mutant.name in equivalents]
    gone = equivalents.keys() - {mutant.name for mutant in all_mutants}
    for title, found in (("not caught", unknown), ("listed as equivalent, but caught", stale)):
        for mutant in found:
            print(f"{title}: {mutant}")
    for name in sorted(gone):
        print(f"listed as equivalent, but there is no such mutant: {' | '.join(name)}")
    out_of_time = list(outcome.killers.values()).count(OUT_OF_TIME)
    print(
        f"{len(chosen)} mutants: {len(outcome.killers)} caught, {out_of_time} of them by running out of time; "
        f"{len(outcome.survivors)} survived, {len(outcome.survivors) - len(unknown)} of them listed as equivalent"
    )
    return 1 if unknown or stale or gone else 0


if __name__ == "__main__":
    sys.exit(main())
