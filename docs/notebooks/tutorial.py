# %% [markdown]
# # Tutorial: five systems, one test set
#
# Five small classifiers tell in which of ten languages a place name is written. What can be said of them, and how surely?
# Each part answers one question that comes up on the way from predictions to a paper. Run the notebook in the folder
# `docs/notebooks` of the repository: its data are in `examples/langid`.

# %%
import bestby as bb

data = bb.read(
    "../../examples/langid/predictions.csv",
    gold="gold",
    reading=bb.Reading(ignore=["territory", "name"]),
)
data.n_items, data.names

# %% [markdown]
# ## Which system is best?
#
# The first line is the answer. Systems that share a letter cannot be told apart by the tests, whose p-values are corrected for
# ten comparisons. The difference and its interval come before the p-value: they say how large it is.

# %%
result = bb.compare(data)
print(result)

# %% [markdown]
# ## What does one difference say?
#
# `result[a, b]` is always A minus B. A p-value above .05 does not say that two systems are equal: the interval says which
# differences the data are compatible with.

# %%
print(result["logreg_14", "nb_13"].sentence)
print(result["svm_14", "nb_12"].sentence)

# %% [markdown]
# ## My items are not independent. Does that matter?
#
# Each of 100 territories is named ten times, and its names are alike: they are a cluster. If the question is how the systems
# would do on other territories, draw whole territories.

# %%
clustered = bb.read(
    "../../examples/langid/predictions.csv",
    gold="gold",
    clusters="territory",
    reading=bb.Reading(ignore=["name"]),
)
by_territory = bb.compare(clustered)
for a, b in (("logreg_14", "knn_3"), ("svm_14", "nb_12")):
    for found in (result, by_territory):
        d = found[a, b]
        print(
            f"{a} - {b}: {d.estimate:.3f} [{d.interval.low:.3f}, "
            f"{d.interval.high:.3f}], {d.extent}"
        )

# %% [markdown]
# ## Does another measure change the picture?
#
# Each metric has its own intervals, tests and correction. Macro-F1 has no formula on single items; it is recomputed on every
# resample.

# %%
both = bb.compare(data, metric=["accuracy", "f1_macro"], n_resamples=2_000)
for score in both.systems:
    print(
        f"{score.metric:9} {score.system:10} {score.score:.3f}  {score.group}"
    )

# %% [markdown]
# ## Does a system prefer some classes?
#
# Every language has 100 names. Whoever gives one answer too often shows it here.

# %%
shares = result.to_frame("classes", backend="pandas")
print(
    shares.pivot(index="label", columns="system", values="count")[
        ["knn_3", "logreg_14"]
    ]
)

# %% [markdown]
# ## Not significant: are they equal?
#
# Say how large a difference must be to matter. With a margin, each pair gets a verdict: better, worse, equivalent, not worse,
# not better, or inconclusive. The margin must be decided before the results are seen.

# %%
judged = bb.compare(data, margin=0.05)
for d in judged:
    print(f"{d.a:10} {d.b:10} {d.verdict}")

# %% [markdown]
# ## How many items would it take?
#
# With these data as a pilot: which differences does a test set of this size find four times of five, and how large must one be
# to find two points, between systems that agree as much as these two do?

# %%
right = {name: data.systems[name] == data.gold for name in ("nb_13", "nb_12")}
pilot = bb.planning.PairedProportions.from_pilot(right["nb_13"], right["nb_12"])
print(repr(bb.minimum_detectable(pilot, data.n_items)))
print(repr(bb.sample_size(pilot.with_effect(0.02))))

# %% [markdown]
# ## Is it the system, or the seed?
#
# Each system was trained five times; the systems of one run share its seed, so the runs are paired. A comparison of runs is
# about other runs on the same items. Where prompts, training samples or judges would be others as well, see
# [several sources of chance](../guides/facets.md).

# %%
runs = bb.read_runs(
    "../../examples/langid/runs.csv",
    reading=bb.Reading(value_column="accuracy"),
    paired=True,
)
of_runs = bb.compare_runs(runs)
print(of_runs["logreg_14", "nb_13"].sentence)

# %% [markdown]
# ## What goes into the paper?
#
# A figure, or `result.to_latex()`; the paragraph on the methods; and the works that it cites, as BibTeX from
# `by_territory.citations()`. The HTML page of `result.to_html("report.html")` has all of it.

# %%
print(by_territory.methods("latex"))
by_territory.plot()
