"""Tests of `interleaf.lorebook`."""
