"""A verification as data: what is in it, what runs again, and what is found wrong."""

import dataclasses

import pytest
from toy import Toy

from explore.simulation import AmaranthEngine
from explore.simulation.judge import Clash, Formula, Rate, packed, run_all, unpacked
from explore.simulation.verify import plan_of


@pytest.fixture(scope="module")
def runs():
    return [run for _, run in unpacked(plan_of(Toy(width=8), vectors=2, seed=0, thorough=True))]


def digests(runs):
    return [digest for digest, _ in unpacked(packed(runs))]


class Counting(AmaranthEngine):
    """Counts the simulations."""

    count = 0

    def run(self, *arguments, **options):
        self.count += 1
        return super().run(*arguments, **options)


def test_a_plan_is_the_same_after_it_was_written(runs):
    assert [run for _, run in unpacked(packed(runs))] == runs
    assert len(set(digests(runs))) == len(runs)


def test_all_that_a_run_does_is_in_its_digest(runs):
    run, more = runs[0], runs[0].clocks.counts
    changed = [
        dataclasses.replace(run, results=[[word ^ 1 for word in each] for each in run.results]),
        dataclasses.replace(run, clocks=None),
        dataclasses.replace(run, clocks=dataclasses.replace(run.clocks, counts=more[::-1] + more)),
        *(dataclasses.replace(run, stimulus=dataclasses.replace(run.stimulus, **{name: value}))
          for name, value in {
              "seed": 7, "i_gap": 0.5, "o_gap": 0.5, "prelude": 3, "blocked": True,
              "hesitant": True, "drain": 9, "patience": 77, "calm": 1, "eager": True, "burst": 9,
              "words": [*run.stimulus.words[:-1], [*run.stimulus.words[-1], 1]]}.items())]
    assert len(set(digests([run, *changed]))) == 1 + len(changed)


def test_only_new_runs_run(runs):
    toy = Toy(width=8)
    engine = Counting(toy)
    known = run_all(packed(runs[:3]), engine, {})
    assert engine.count == 3
    # The same once more, and a reset more.
    later = dataclasses.replace(runs[0], stimulus=dataclasses.replace(runs[0].stimulus, prelude=5))
    found = run_all(packed([*runs[:3], later]), engine, known)
    assert engine.count == 4
    assert found == {**known, "runs": known["runs"] + digests([later])[0]}
    assert run_all(packed(runs[1:3]), engine, known)["runs"] in known["runs"]
    assert engine.count == 4


def test_wrong_words_and_wrong_clocks_are_told(runs):
    engine = AmaranthEngine(Toy(width=8))
    first = runs[0]
    wrong = [*first.results[:-1], [word ^ 1 for word in first.results[-1]]]
    with pytest.raises(Clash) as clash:
        run_all(packed([dataclasses.replace(first, results=wrong)]), engine, {})
    assert clash.value.index == len(wrong) - 1
    assert isinstance(first.clocks, Formula)
    late = dataclasses.replace(first.clocks, counts=[
        (*each[:2], each[2] + 1, *each[3:]) for each in first.clocks.counts])
    with pytest.raises(Clash) as clash:
        run_all(packed([dataclasses.replace(first, clocks=late)]), engine, {})
    assert clash.value.expected[2] == clash.value.found[2] + 1
    for clocks, exact in ((1, False), (1000, True)):
        with pytest.raises(Clash):
            run_all(packed([dataclasses.replace(first, clocks=Rate(clocks=clocks, exact=exact))]),
                    engine, {})
    run_all(packed([dataclasses.replace(first, clocks=Rate(clocks=1000, exact=False))]), engine, {})
