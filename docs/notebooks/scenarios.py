# %% [markdown]
# # The scenarios of deep-significance, worked
#
# The README of deep-significance (Ulmer et al. 2022) is ordered by what was run: several runs on one dataset, on several
# datasets, items with several runs, several systems. This notebook goes through them in that order and ends each with what
# to report. The scores are drawn, so that the truth is known: every true difference is given above its cell.
# [Coming from deepsig](../guides/from-deepsig.md) explains where numbers differ.

# %%
import numpy as np

import bestby as bb

generator = np.random.default_rng(1234)

# %% [markdown]
# ## 1. Several runs of two systems on one dataset
#
# There: `aso(new, old)`. Here the difference comes with its interval, and ε with a test. The true difference is 0.9 points.

# %%
new, old = generator.normal(0.9, 0.8, 10), generator.normal(0.0, 0.8, 10)
one = bb.compare_runs({"new": new, "old": old}, metric="score")
print(one["new", "old"].sentence)

# %% [markdown]
# Report: the scores of all runs, the difference with its interval, ε and its level, the number of runs and what varied
# between them. The paragraph on the methods is made by

# %%
print(one.methods())

# %% [markdown]
# ## 2. Several runs on each of several datasets
#
# There: one `aso` per dataset, with its level corrected for their number. Here one comparison of all runs, which also says in
# how many of the datasets the effect holds. The new system is better by 0.9 on three datasets and equal on two.

# %%
runs = {}
for name, effect in {
    "mnli": 0.9,
    "qqp": 0.9,
    "sst": 0.9,
    "rte": 0.0,
    "wnli": 0.0,
}.items():
    runs[name] = {
        "new": generator.normal(effect, 0.6, 10),
        "old": generator.normal(0.0, 0.6, 10),
    }
over = bb.compare_datasets(
    runs, metric="score", outer="dataset", alternative="better"
)
for name, (found,) in over.within.items():
    print(
        f"{name:5} {found.estimate:5.2f}  p = {found.p_adjusted:.4f}  ε = "
        f"{found.order.epsilon_min:.2f}"
    )
held = over.replicability["new", "old"]
held.k_bonferroni, held.found

# %% [markdown]
# ### All datasets together
#
# The mean difference over the datasets has two intervals: for other runs on these datasets, and for other datasets. That of
# other datasets is long, as the systems differ on some of them and not on others.

# %%
for entry in over.overall:
    print(
        f"{entry.resampled:8} {entry.estimate:5.2f} "
        f"[{entry.interval.low:5.2f}, {entry.interval.high:5.2f}]"
    )
over.plot("forest")

# %% [markdown]
# Report: a row per dataset with difference and interval, the number of datasets in which the effect holds at least, which
# these are, and the mean difference with the interval of what is to vary.

# %% [markdown]
# ## 3. Scores of single items, several runs
#
# There: `aso` of every pair of runs. Here items and runs are drawn together: the interval is about other items and other runs.
# The true difference is 0.05.

# %%
difficulty = generator.normal(0.0, 0.3, 200)
items = {
    name: 0.7
    + effect
    + difficulty
    + generator.normal(0.0, 0.02, (5, 1))
    + generator.normal(0.0, 0.1, (5, 200))
    for name, effect in {"new": 0.05, "old": 0.0}.items()
}
both = bb.compare_runs(items, metric="score")
print(both["new", "old"].sentence)
part = both.variance("new", "old")
print(
    f"standard error {part.standard_error():.4f}, with twice the runs "
    f"{part.standard_error(runs=2.0):.4f}"
)

# %% [markdown]
# Report: the numbers of items and of runs, and where the uncertainty comes from: more runs, or more items, would shorten the
# interval.

# %% [markdown]
# ## 4. More than two systems
#
# There: `multi_aso`. Here every pair is tested, corrected, and put into groups. The true scores are 0.0, 0.0, 0.5 and 1.5.

# %%
several = bb.compare_runs(
    {
        f"m{i}": generator.normal(mean, 0.5, 8)
        for i, mean in enumerate((0.0, 0.0, 0.5, 1.5))
    },
    metric="score",
)
for score in several.systems:
    print(f"{score.system}  {score.score:5.2f}  {score.group}")
several.plot(kind="order")

# %% [markdown]
# Report: the groups, the correction and the number of comparisons; the matrix of ε, if its readers expect it.
#
# ## Is it enough?
#
# There: `bootstrap_power_analysis`. Scores may be negative here as well, with an offset in place of a factor:

# %%
plan = bb.power(
    bb.planning.LiftedScores(old, lift=0.9, by="offset"), alternative="greater"
)
print(plan)
