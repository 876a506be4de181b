"""`smartcis datalog`: a program in Soufflé's syntax over files of facts, then over changes of them.

PROGRAM ─compile→ plans ─ session ─ files ─→ REL.csv
                     updates ─ transactions ─→ +rel(…) and -rel(…)
                     --why, --why-not ─ proofs
"""
