"""The tests that `make test` or `make quick` leaves out, by the beginnings of their names."""

from __future__ import annotations

CHECKED = (
    "tests/calibration/",
    "tests/cli/test_check.py::test_every_command_works[Inspect]",
    "tests/cli/test_guides.py",
    "tests/unit/boards/site/test_in_browser.py",
    "tests/unit/boards/test_faults.py",
    "tests/unit/boards/test_odd_submissions.py",
    "tests/unit/comparisons/test_skipped_elsewhere.py::test_pages_and_figures_leave_it_out",
    "tests/unit/inference/test_permutation.py::test_multiples_of_a_",
    "tests/unit/inference/test_dominating_point.py::test_nasty_data",
    "tests/unit/inference/test_dominating_point.py::test_p_values_are_those_of_draws",
    "tests/unit/questions/attempts/test_compare.py::test_bands_hold_for_all_k_at_once",
    "tests/unit/questions/facets/test_faceted_scores.py::test_studies_have_the_power_that_is_said",
    "tests/unit/questions/judged/test_favour.py::test_a_reverse_that_may_be_chance",
    "tests/unit/questions/labels/test_choose.py::test_items_are_drawn_as_often",
    "tests/unit/questions/labels/test_plan.py::test_a_margin_is_detected",
    "tests/unit/questions/labels/test_plan.py::test_a_stratified_study",
    "tests/unit/questions/labels/test_plan.py::test_studies_of_the_planned_size",
    "tests/unit/questions/monitor/test_confidence_sequences.py::test_few_items_are_needed",
    "tests/unit/questions/monitor/test_confidence_sequences.py::test_the_asymptotic_sequence_misses",
    "tests/unit/questions/order/test_normality.py::test_normal_samples_are_rejected",
    "tests/unit/questions/planning/test_designs.py::test_exchanged_predictions",
    "tests/unit/questions/planning/test_designs.py::test_scores_lifted_by_nothing",
    "tests/unit/questions/planning/test_designs.py::test_the_size_of_a_simulated_study",
    "tests/unit/questions/planning/test_designs.py::test_the_smallest_lift",
    "tests/unit/questions/study/test_faults.py",
    "tests/unit/readers/formats/test_damaged_logs.py",
    "tests/unit/readers/formats/test_damaged_texts.py",
    "tests/unit/readers/test_batches.py",
    "tests/unit/readers/test_damaged_files.py",
    "tests/unit/readers/test_large_tables.py::test_any_small_table_reads_alike",
    "tests/unit/report/test_accessibility.py",
    "tests/unit/report/test_disagreements.py::test_every_contradiction_is_marked_and_explained[items, ",
    "tests/unit/report/test_percent.py::test_each_number_has_its_scale[many]",
    "tests/unit/report/test_percent.py::test_scores_and_differences_are_multiplied_and_nothing_else[many]",
    "tests/unit/report/writers/test_html.py::test_the_page_of_a_thousand_systems",
    "tests/unit/repository/",
    "tests/unit/resampling/test_dask_workers.py",
)
"""What simulates for long, makes pages again, kills processes, damages files or starts a browser."""

LONG = (
    "tests/unit/engine/test_drawing.py::test_a_metric_in_a_thread",
    "tests/unit/inference/test_power.py::test_power_outcome_by_outcome",
    "tests/unit/inference/test_characteristic_functions.py::test_the_tail_of_a_signed_sum",
    "tests/cli/test_check.py::test_every_command_works",
    "tests/unit/questions/check/test_oddities.py::test_of_clean_data",
    "tests/unit/metrics/test_built_in.py::test_every_comparison_of_items",
    "tests/unit/metrics/test_positive_class.py::test_every_comparison_says",
    "tests/unit/metrics/test_rank_swaps.py::test_the_exact_test_is_the_limit",
)
"""What takes seconds."""
