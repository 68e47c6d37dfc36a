"""Deep forest (Zhou & Feng 2019), giving the same probabilities as the `deep-forest` package with its scikit-learn
backend."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class _Binner:
    def __init__(self, n_bins: int = 255) -> None:
        self.n_bins = n_bins

    def fit(self, X):
        self.thresholds_ = []
        for column in X.T:
            distinct = np.unique(column)
            if len(distinct) <= self.n_bins:
                t = (distinct[:-1] + distinct[1:]) * 0.5
            else:
                q = np.linspace(0, 100, num=self.n_bins + 1)[1:-1]
                t = np.percentile(column, q, method="midpoint")
            self.thresholds_.append(t)
        return self

    def transform(self, X):
        out = np.empty(X.shape, dtype=np.uint8)
        for j, t in enumerate(self.thresholds_):
            out[:, j] = np.searchsorted(t, X[:, j], side="left")
        return out


class CascadeForestClassifier(ClassifierMixin, BaseEstimator):
    def __init__(self, random_state: int = 0, max_layers: int = 20) -> None:
        self.random_state = random_state
        self.max_layers = max_layers

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, y = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("only one class")
        K = len(self.classes_)
        self.binner_ = _Binner().fit(X)
        B = self.binner_.transform(X)
        cur = B
        self.layers_ = []
        best, bad = -np.inf, 0
        for layer in range(self.max_layers):
            forests = []
            for kind in (RandomForestClassifier, ExtraTreesClassifier):
                for i in range(2):
                    forests.append(
                        kind(
                            100,
                            bootstrap=True,
                            oob_score=True,
                            n_jobs=1,
                            random_state=int(self.random_state) + 10 * i + 100 * layer,
                        ).fit(cur, y)
                    )
            oob = np.hstack([np.nan_to_num(f.oob_decision_function_, nan=1.0 / K) for f in forests])
            score = (oob.reshape(len(y), 4, K).sum(1).argmax(1) == y).mean()
            binner = _Binner().fit(oob)
            self.layers_.append((forests, binner))
            if score > best + 1e-5:
                best, bad = score, 0
            else:
                bad += 1
                if bad >= 2:
                    self.layers_ = self.layers_[:-2]
                    break
            cur = np.hstack([B, binner.transform(oob)])
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        B = self.binner_.transform(X)
        cur = B
        for forests, binner in self.layers_:
            P = [f.predict_proba(cur) for f in forests]
            cur = np.hstack([B, binner.transform(np.hstack(P))])
        return np.mean(P, axis=0)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(1)]
