"""One file per kind of source; each meets the contract of ``ingest.wrapper``."""
