"""Write the `cv_results_` of a search by scikit-learn, by two scores, and the means that it reports."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

X, y = load_iris(return_X_y=True)
search = GridSearchCV(
    LogisticRegression(max_iter=1000),
    [{"C": [0.01, 1.0]}, {"C": [1.0], "class_weight": ["balanced"]}],
    scoring=["accuracy", "f1_macro"],
    refit=False,
    cv=5,
)
frame = pd.DataFrame(search.fit(X, y).cv_results_)
frame.to_csv(Path(__file__).parent / "cv_results.csv", index=False)
