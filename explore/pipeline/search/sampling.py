"""Proposes points of spaces that are too large to enumerate, by Optuna's TPE."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ToolMissing
from .speed import Settings

if TYPE_CHECKING:
    from optuna.trial import Trial

__all__ = ["Sampler"]

#: Trials at random before the model of TPE begins.
_STARTUP = 16


class Sampler:
    """Optuna behind ask and tell. Nothing is stored: what is known is told again at the start.

    The space is conditional: each core has parameters and options of its own.

    Parameters
    ----------
    known : sequence of Settings
        Settings whose values span the space; all combinations of a core's values belong to it.
    objectives : int
        Number of costs of a point, which are to be small.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    ToolMissing
        If Optuna is not installed.
    """

    def __init__(self, known: Sequence[Settings], objectives: int, *, seed: int = 0) -> None:
        try:
            import optuna
        except ModuleNotFoundError as error:
            raise ToolMissing(f"A space too large to enumerate needs Optuna ({error.name} is "
                              "missing); run pip install '.[search]' in the project's folder, or "
                              "give fewer values to -p and -o") from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._random = random.Random(seed)
        self._choices: dict[str, tuple[dict[str, list], dict[str, list]]] = {}
        for each in known:
            own = self._choices.setdefault(each.core, ({}, {}))
            for values, given in zip(own, (each.params, each.options), strict=True):
                for name, value in given.items():
                    if value not in values.setdefault(name, []):
                        values[name].append(value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(multivariate=True, group=True, seed=seed,
                                                 n_startup_trials=_STARTUP)
        self._study = optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)

    def ask(self) -> tuple[Trial, Settings]:
        """Return a trial and its settings, which may be the same as those of an earlier one."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = self._study.ask()
            core = trial.suggest_categorical("core", sorted(self._choices))
            params, options = (
                {name: trial.suggest_categorical(f"{core} {what} {name}", values)
                 for name, values in sorted(own.items())}
                for what, own in zip(("param", "option"), self._choices[core], strict=True))
        return trial, Settings(core=core, params=params, options=options)

    def at_random(self) -> Settings:
        """Return settings that no model chose."""
        core = self._random.choice(sorted(self._choices))
        params, options = ({name: self._random.choice(values)
                            for name, values in sorted(own.items())}
                           for own in self._choices[core])
        return Settings(core=core, params=params, options=options)

    def tell(self, trial: Trial, costs: Sequence[float] | None) -> None:
        """Take the costs of a trial; None if there is no such point, or it could not be placed."""
        if costs is None:
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(trial, list(costs))

    def add(self, settings: Settings, costs: Sequence[float]) -> None:
        """Tell the costs of a point that was not asked for."""
        distributions: dict[str, Any] = {
            "core": self._categorical(sorted(self._choices))}
        values: dict[str, Any] = {"core": settings.core}
        parts = zip(("param", "option"), self._choices[settings.core],
                    (settings.params, settings.options), strict=True)
        for what, own, given in parts:
            for name, choices in own.items():
                distributions[f"{settings.core} {what} {name}"] = self._categorical(choices)
                values[f"{settings.core} {what} {name}"] = given[name]
        self._study.add_trial(self._optuna.trial.create_trial(
            params=values, distributions=distributions, values=list(costs)))

    def _categorical(self, choices: Sequence[Any] | Mapping[str, Any]) -> Any:
        return self._optuna.distributions.CategoricalDistribution(list(choices))
