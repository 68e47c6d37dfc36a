"""The exceptions that a person meets: each message is one sentence with a way out."""

from __future__ import annotations


class AutoPUError(Exception):
    """Root of every error that the program raises on purpose; the faces show its message, never a traceback."""


class TableError(AutoPUError):
    """A table can't be read, or its columns don't allow what was asked."""


class LabelError(AutoPUError):
    """The target column doesn't give usable positives and unlabelled rows."""


class SettingsError(AutoPUError):
    """A setting of a run is out of range or contradicts another one."""


class StoreError(AutoPUError):
    """The data folder or database can't be used, or doesn't hold what was asked for."""


class ModelError(AutoPUError):
    """A model file can't be trusted, loaded, or applied to the given table."""


class FitError(AutoPUError):
    """A classifier can't learn from the rows it was given, or predicts what isn't a probability."""
