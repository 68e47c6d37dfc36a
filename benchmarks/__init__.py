"""Measurements, not tests: each module prints one JSON object and can be run by anybody; see README.md here."""
