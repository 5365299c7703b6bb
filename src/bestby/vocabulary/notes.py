"""What the code of each note means, in one line; the message of a note has the details."""

from __future__ import annotations

# fmt: off
NOTES_BY_SUBJECT: dict[str, dict[str, str]] = {
    "Reading the data": {
        "average_left_out":
            "A row or system that is the mean of the others was left out; rename it to keep it.",
        "bounds":
            "Results are missing; intervals and tests hold whether they are the worst or the best.",
        "classes_assumed":
            "Columns of soft labels are taken for the labels in sorted order; pass the classes if not.",
        "columns_left_out":
            "Columns beside the scores of one system were left out; name them if they are systems.",
        "compared_in_pairs":
            "Systems lack items; each pair was compared on the items both have, which failures make invalid.",
        "counted":
            "Equal rows were counted, which gives the same numbers as the rows one by one.",
        "counted_as_worst":
            "Missing predictions of a system count as wrong, or as the worst score.",
        "datasets_as_one":
            "The items of several datasets count as one test set; one with more items counts more.",
        "equal_scores":
            "Many documents of a run have equal scores; they are ranked by their ids.",
        "few_shared":
            "Systems, or pairs of them, with too few items or datasets in common were not compared.",
        "files_left_out":
            "Files in another format, or without the results of single items, were left out.",
        "incomplete_items":
            "Intraclass correlations are of the items that all annotators scored.",
        "items_dropped":
            "Items that a system or the gold lacks were left out for all systems.",
        "label_never_given":
            "Nobody gave a label of the classes: the data do not tell of agreement on it.",
        "labels_merged":
            "Spellings of one number or boolean count as one label; rewrite them if they are codes.",
        "missing_by_difficulty":
            "The items that a system has are harder or easier than those it lacks; its score is no guide.",
        "no_common_label":
            "No label of an annotator was given by another: the column may be no annotator.",
        "numbers_as_labels":
            "Labels that are numbers were taken for names; choose another scale if they are not.",
        "numbers_as_names":
            "The first line holds numbers and was read as names; add a line of names if it is data.",
        "other_data":
            "The models saw different revisions of a task's data: scores are not fully comparable.",
        "poisson_resamples":
            "Scores were read in batches: the size of a resample varies, and ids may be repeated unseen.",
        "ranks_contradict_scores":
            "The ranks in a run contradict its scores; the scores count. Negate them if they are distances.",
        "read_as":
            "The note says how the input was read; check that systems, gold and items are what you meant.",
        "repeated_documents":
            "Lines repeat a document of a topic; one of them counts, and the note says which.",
        "runs_joined":
            "Numbers that end names were read as run numbers; name the column of systems if they are not.",
        "segments_without_score":
            "Some segments have no score, so that documents are means over different segments.",
        "settings_file":
            "The note lists the options that were taken from a settings file.",
        "single_labels":
            "Items with one label tell nothing of agreement and do not count.",
        "systems_dropped":
            "Systems that lack some of the items were left out.",
        "tokens_differ":
            "The systems count different numbers of tokens; compare them by bits per byte.",
        "topics_not_judged":
            "Topics of a run that nobody judged were left out.",
        "unequal_labels":
            "Items have unequally many labels, for which there is no Fleiss' kappa.",
        "unicode_forms":
            "Texts look alike but are written differently: labels then count as one, words as different.",
        "whole_groups_missing":
            "A system lacks whole groups of items, such as tasks; make these clusters if they are a sample.",
    },
    "Metrics and labels": {
        "below_chance":
            "A system is significantly worse than guessing; its numbers may speak for the other class.",
        "brier_of_both_classes":
            "The Brier score is the sum over both classes, twice that of one class.",
        "built_in_metric":
            "The function agrees with a built-in metric on these data, which would be faster.",
        "caution":
            "The note says what may surprise in the metric, or in how it is called.",
        "certain_of_its_class":
            "A hard label counts as a probability of 1 for its class.",
        "counted_as_zero":
            "An undefined part of a score counts as 0 or is left out; a pilot's negative variance is 0.",
        "decimal_commas":
            "Numbers with decimal commas count as labels; write points and choose a metric of numbers.",
        "direction_guessed":
            "The name of the metric decided whether higher is better; if wrong, all results are reversed.",
        "gold_as_system":
            "A system is called as a gold is; if it is the gold, name it as such.",
        "label_precision":
            "Predicted numbers count as wrong only because they are rounded otherwise than the gold.",
        "label_spelling":
            "Labels that differ from the gold in case or spaces count as wrong; spell them alike.",
        "letters_dropped":
            "The metric drops most letters of some texts; use one for all scripts, such as chrf.",
        "metric_signature":
            "The note has the settings of the metric as the library that computes it writes them.",
        "mixed_percent":
            "Some scores look like shares and others like percentages; give all of them as one of both.",
        "most_probable_class":
            "A soft label counts as its most probable class.",
        "never_predicted":
            "A system never predicts some classes that the gold has.",
        "no_shared_label":
            "A system predicts no label of the gold; if only the spelling differs, its score means nothing.",
        "no_token":
            "The metric leaves nothing of some references; the note says how their items count.",
        "positive_class":
            "The label that sorts last is the positive class; name the other in the metric if it is meant.",
        "probability_of_class":
            "Numbers were read as probabilities of the label that sorts last; reverse them if they are not.",
        "probability_of_zero":
            "Probabilities of 0 are raised to a small number, which makes much of the score.",
        "quantities":
            "Some systems have names of quantities, such as time or cost; leave them out if they are.",
        "scales_differ":
            "Scores of systems or datasets are on scales far apart; bring them to one scale.",
        "texts_as_labels":
            "Texts are compared letter by letter; a metric such as em or rougeL may be meant.",
        "word_for_nothing":
            'A word such as "none" counts as a label; say so on reading if it stands for no value.',
    },
    "Clusters, strata and resamples": {
        "annotators_resampled":
            "Intervals allow for other items and other annotators, and are somewhat too long.",
        "clusters_ignored":
            "Items in groups are treated as independent; as clusters they would change standard errors.",
        "design_effect":
            "The note compares standard errors with clusters or blocks to those of independent items.",
        "few_clusters":
            "There are few clusters, or a few hold much of the data: intervals may be too short.",
        "few_items":
            "There are few items: intervals tend to be too short.",
        "not_rescaled":
            "Smaller resamples were not rescaled; the results are those of a smaller experiment.",
        "resample_size_of_intervals":
            "The size of resamples is that of the intervals only; the test does not draw such resamples.",
        "resample_size_unused":
            "Nothing here uses the bootstrap, so that the size of the resamples has no effect.",
        "short_blocks":
            "Items depend on one another beyond their blocks: tests reject too often; use longer blocks.",
        "small_resamples":
            "Resamples are too small for tests and intervals to keep their level.",
        "small_strata":
            "Small strata show too little of how units vary, so that results are too sure; merge strata.",
        "uneven_strata":
            "Small strata have too little weight in smaller resamples; draw more units or merge strata.",
        "within_items":
            "The note says what other samples of the same items would change, beside other items.",
    },
    "Intervals": {
        "abc_undefined":
            "The ABC interval is undefined here; another one is given in its place.",
        "bca_undefined":
            "The BCa interval is undefined here; the percentile interval is given in its place.",
        "coarse_gold":
            "Few labels per item make a coarse gold; the interval is for a gold with as many labels.",
        "constant_difference":
            "Nothing in the data changes the difference: no interval, or one for unseen items only.",
        "constant_scores":
            "Nothing in the data changes the score: no interval, or one for unseen items only.",
        "cr2_undefined":
            "The cr2 interval is undefined here; the basic interval is given in its place.",
        "equal_resamples":
            "Nearly all resamples give the same number, so there is no interval.",
        "few_differing":
            "So few units differ that the interval is too short, or covers more than it says.",
        "few_effective":
            "Few units determine the result: its interval is probably too short, or its p-value too small.",
        "few_successes":
            "A system has so few successes that the interval of its cost per success is too short.",
        "identical":
            "The two systems do not differ on any item, or their runs have the same scores.",
        "identical_ranks":
            "The metric sees no difference between the ranks of both systems, so there is no interval.",
        "kappa_paradox":
            "Labels agree often and chance would, too: alpha is low and AC1 high.",
        "known_costs":
            "A cost is the same on all items of each system, and is taken as known, as a price is.",
        "moves_in_steps":
            "The metric moves in steps, as medians do: the interval may be too short.",
        "no_acceleration":
            "The BCa interval is corrected for bias, but could not be for skewness.",
        "rare_label":
            "Few items have another label than the commonest: no interval of agreement keeps its level.",
        "studentized_undefined":
            "The studentized interval is undefined here; the percentile interval is given in its place.",
        "undefined_interval":
            "The metric or its standard error is undefined on these data, so there is no interval.",
        "undefined_resamples":
            "Some resamples give no value; the note says how they count.",
    },
    "Tests, verdicts and groups": {
        "different_scales":
            "Predictions are on different scales: swapping them finds differences less often.",
        "direction":
            "Lower is better for the metric; the note says what the one-sided test asks.",
        "doubted_verdict":
            "The interval may be too short, so that no verdict is read from it.",
        "effect_of_size":
            "The difference depends on the size of clusters, or may: tests can reject too often.",
        "few_resamples":
            "Too few resamples to settle some comparisons; use as many as the note says.",
        "few_units_for_permutation":
            "Swaps of few units give no small p-value; where all point one way, Hall's t test decides.",
        "no_groups":
            "There are more groups than systems, so they are left out; ranks and differences show the same.",
        "numbered_groups":
            "There are too many groups for letters; systems whose numbers overlap cannot be told apart.",
        "one_sided":
            "Tests are one-sided: systems that share a rank or group may still differ clearly.",
        "out_of_reach":
            "With so few units or runs the test cannot make a difference significant, or not every one.",
        "simultaneous":
            "The note says how intervals were made that hold for all differences at once.",
        "skewed_differences":
            "Units are skewed: a difference is only weakly shown, or a gate passes too often.",
        "skewed_verdict":
            "The verdict is read from an interval that allows for more skewness than the one shown.",
        "standardised_swaps":
            "The test swaps ranks or standard scores, which is not exact and may reject too often.",
        "test_opposes_score":
            "The test is significant for the system with the worse score; their order is left open.",
        "two_way":
            "Two crossed groupings rule out a permutation test; a Wald test takes its place.",
        "unseen_differences":
            "Too few items differ to show that the systems are equivalent within the margin.",
    },
    "Runs and stochastic order": {
        "constant_runs":
            "All runs of a system have the same score: they are copies, or the metric is too coarse.",
        "few_runs":
            "So few runs hardly show how much runs vary; the note says what that makes unreliable.",
        "few_runs_for_permutation":
            "So few runs cannot give small p-values by permutation; the t test is used.",
        "identical_runs":
            "Two systems have the same scores at every quantile: their violation ratio is undefined.",
        "items_fixed":
            "The test is about other runs on the same items; intervals are about other items, too.",
        "long_interval":
            "Runs vary no more than chance explains; intervals allow for more and may be long.",
        "no_spread":
            "The runs do not vary, so that the effect size is undefined.",
        "none_effective":
            "On no unit are more answers right in one system: the interval is probably too short.",
        "outlying_run":
            "A run lies far from the others of its system; check whether it failed.",
        "runs_like_items":
            "The scores of all runs are 0 or 1, as those of items are; compare tests items in pairs.",
        "runs_share_levels":
            "Names or columns show several facets, such as prompts and seeds: compare_facets allows for it.",
        "same_difference":
            "The mean runs differ by the same amount on all units; the interval is for other runs only.",
        "short_interval":
            'A bootstrap interval over so few runs is too short; use interval="t".',
        "unequal_spread":
            "Runs of one system vary much more than those of the other, which can mislead the test.",
    },
    "Facets": {
        "cells_averaged":
            "Several values of a system in one cell were averaged.",
        "facet_pooled":
            "A facet varies no more than single cells by chance: its variance is pooled with theirs.",
        "facets_nested":
            "A facet was found to lie in another: no level of it is seen in two levels of that.",
        "few_levels":
            "Few levels make the interval longer than 20 do, and may lack one that breaks a system.",
        "missing_by_level":
            "Some levels of a facet lack many more cells than others.",
        "negative_component":
            "The estimate of a variance component is below 0, and was set to 0.",
        "no_components":
            "Too many cells are missing to tell effects apart: there are no variance components.",
        "paired_by_number":
            "Unmatched levels that lie in no sampled facet were paired in their order.",
        "rests_on_few":
            "Half the variance or more rests on fewer than 20 levels, which must be near normal.",
        "runs_interval":
            "With every combination of levels as a run of its own, intervals would be too short.",
        "two_levels":
            "Two levels of a facet hardly show how much they vary: the interval is very long.",
        "unbalanced":
            "Some cells have no value; the note says what has the same weight.",
    },
    "Several datasets": {
        "both_directions":
            "The datasets with a difference do not agree on which system is better.",
        "datasets_dropped":
            "Datasets on which a system has no score were left out.",
        "few_datasets":
            "Few datasets allow no small p-value, or do not show whether differences are skewed.",
        "levels_differ":
            "The intervals on the datasets have the level of their own comparisons, not of this one.",
        "normalised":
            "Scores were brought to one scale; without given ranges another system can change it.",
        "not_pooled":
            "There is no difference on all items pooled; the note says why.",
        "not_the_mean":
            'The test over datasets does not ask about the mean difference; across="t" does.',
        "own_metrics":
            "Each dataset has a metric of its own; where lower is better, scores have a minus.",
        "single_runs":
            "Every system has one run on each dataset: how runs vary is not known.",
    },
    "Cross-validation": {
        "correlation_assumed":
            "A correlation between folds is assumed, as scores do not show it; results may be too cautious.",
        "liberal_test":
            "The test finds a difference between equal learners too often in some cases.",
        "missing_classes":
            "Some folds lack a class: the mean over the folds is not the score on all classes.",
        "no_folds":
            "The fold of each item is not known: each repetition is compared by itself.",
        "ratio_assumed":
            "Each fold is assumed to be tested once, after training on the others of its repetition.",
        "trained_models_given":
            "Tests within a fold or a repetition say nothing about models trained again.",
    },
    "Slices": {
        "few_slices":
            "Shrunken differences rest on a spread that few slices show badly.",
        "heterogeneity":
            "Whether the difference depends on the slice is not tested; the note says why.",
        "heterogeneity_approximate":
            "The test whether the difference depends on the slice is approximate.",
        "slice_undefined":
            "Slices in which the metric has no value were left out.",
        "slices":
            "The note says how intervals and adjusted p-values were made that hold for all slices at once.",
        "slices_left_out":
            "Slices with too few items were left out.",
        "small_slices":
            "Some slices are so small that intervals and tests do not hold their level.",
    },
    "Published scores": {
        "published_shape":
            "Published runs are taken to be near normal; skewed ones make interval and p-value wrong.",
        "published_spread":
            "The published standard deviation is taken to be that of runs, not of their mean.",
        "unpublished_predictions":
            "How often the two systems agree is only bounded by their scores.",
    },
    "Judges and human labels": {
        "calibration_items":
            "Items of the calibration set are taken to be independent; if not, intervals are too short.",
        "class_without_labels":
            "The judge uses a class that no human label has; what it would change is not known.",
        "error_rates":
            "The judge is taken to err as often as on the calibration set; if not, scores are biased.",
        "favour_untested":
            "Whether the judge favours a system is not tested; the note says what that takes.",
        "few_answers_off":
            "The judge is far off on few answers: intervals of its quality may be much too short.",
        "few_calibration_clusters":
            "The calibration set has few clusters: intervals may be too short.",
        "few_heavy_labels":
            "A score rests on few labels with large weights; label more items of their kind.",
        "few_labels":
            "With so few human labels intervals may be too short; label more.",
        "few_large_labels":
            "The standard error comes from few labels: the interval may be too short; label more.",
        "few_of_a_kind":
            "A system has few labels of its rarer verdict: the interval may be too short.",
        "few_of_class":
            "Few human labels are of some class: intervals may be too short.",
        "labels_drawn":
            "Chance is taken to have chosen the labelled items; otherwise corrected scores are biased.",
        "labels_not_random":
            "The judge's scores show that chance did not choose the labelled items: results are biased.",
        "outside_bounds":
            "A corrected score lies outside 0 and 1; its interval does not.",
        "unlike_calibration":
            "The items are not like those of the calibration set, so there is no interval.",
        "unseen_judge_errors":
            "The judge is nearly right on the labels, which can lack rare and large errors of it.",
    },
    "Preferences": {
        "other_judges":
            "Not all pairs of systems were judged by the same annotators.",
        "ties_as_halves":
            "Ties count as half a win for both, which makes some standard errors too large.",
        "unbounded":
            "Of some infinite differences no bound was computed.",
        "uneven_pairs":
            "Win rates depend on whom a system met, as not all pairs were judged equally often.",
        "unused_prompts":
            "A column may say what was judged, and is no cluster: intervals may be too short.",
        "unused_style":
            "A column may tell of the style of answers, and is not used.",
        "unused_voters":
            "A column may say who judged, and is no cluster: intervals may be too short.",
    },
    "Monitors": {
        "approximate_clusters":
            "With clusters the interval is only approximate here; the note says why.",
        "asymptotic_sequence":
            "The interval is only valid with many items; nothing is concluded from the first ones.",
        "begun_before":
            "The monitor goes on by the rules of 0.2.0, which miss rare, large losses; begin a new one.",
        "between_looks":
            "Items after the last planned look are not counted yet.",
        "constant_differences":
            "Two systems differ by the same amount on all items: there is no interval of it.",
        "contradicting_looks":
            "An interval contradicts an earlier look: the later items are unlike the first.",
        "early_look":
            "The first look had too few units for its interval; plan it later.",
        "monitored":
            "A monitor looked at these items: intervals for a fixed number of them are too optimistic.",
        "open_cluster":
            "Items of the last cluster are not counted until it ends.",
        "order_of_groups":
            "Units with similar ids came together; intervals hold only in random order.",
        "order_of_ids":
            "Units came in the order of their ids; intervals hold only in random order.",
        "provisional_decision":
            "A single item could overturn the decision; go on, or give the largest difference possible.",
        "torn_line":
            "The last line of the file was cut off; add its item again.",
    },
    "Studies": {
        "borrowed_run_variance":
            "The only run of a condition is taken to vary as the runs of the other do.",
        "one_run":
            "A condition has one run: its interval says nothing about how another would perform.",
        "test_set_looked_at":
            "The test set was looked at several times, so that what was kept seems better than it is.",
    },
    "Planning": {
        "approximate_plan":
            "The plan rests on a formula for large samples; rare and large errors make it too hopeful.",
        "clusters":
            "The note says how many clusters the planned items are, and how many independent items.",
        "few_judge_errors":
            "So few labels hold too few errors of the judge to tell how large they are.",
        "few_scores":
            "Few scores stand for all: new ones vary more, and the power is lower than stated.",
        "judge_saves_little":
            "The judge says little about the human labels and saves hardly any of them.",
        "negative_icc":
            "The correlation within clusters of the pilot is negative; the plan takes it for 0.",
        "pilot_effect":
            "The plan takes the difference of the pilot for the true one, which it tends to overstate.",
        "pilot_too_uncertain":
            "If the pilot understates variances, labels of all items may not be enough.",
        "shares":
            "The note says how much of the variance items, runs, or facets, and the rest account for.",
        "small_pilot":
            "The pilot is small: it is repeated in simulated studies, or shows correlation only roughly.",
        "uncertain_pilot":
            "The pilot shows a variance or an agreement only roughly; the true power may be far off.",
    },
    "Choosing items to label": {
        "label_all_drawn":
            "Label every item that was drawn: leaving hard ones out biases the estimates.",
        "spread_of_the_judge":
            "Strata where the judge's scores vary give more items; a proportional draw can be more precise.",
        "whole_clusters":
            "Clusters were drawn as wholes; the note says how many items they hold.",
    },
    "Tests of normality": {
        "low_power":
            "With so few values these tests rarely reject, whatever the distribution.",
        "rejects_trifles":
            "With so many values these tests reject departures that do not matter for a mean.",
        "royston":
            "The p-value of Shapiro-Wilk is an extrapolation for so many values.",
        "ties":
            "Many values are ties, which alone is enough for rejection if values are many.",
    },
}
# fmt: on

NOTES = {code: meaning for notes in NOTES_BY_SUBJECT.values() for code, meaning in notes.items()}
