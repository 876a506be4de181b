"""`smartcis datalog`: a program in Soufflé's syntax over files of facts, then over changes of them.

command  →  run  →  engine          PROGRAM ─compile→ plans ─session→ rows and changes
  files, updates  →  values, scanning      REL.facts, REL.csv;  +rel(…), -rel(…), commit
  functors                                 Python for .functor
explain  →  rules                   --why: proof, proof_text;  --why-not: failed;  shown: a rule's text
"""
