"""Query languages: text becomes a bound logical plan."""
