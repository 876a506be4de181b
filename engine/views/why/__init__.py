"""Why a row is in a view, or is not: derivations, cuts, probability; all of it within an effort."""
