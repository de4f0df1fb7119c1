"""Tests of the scanner."""
