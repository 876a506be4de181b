"""Annotation algebras: what a row's annotation is, and how operators combine it."""
