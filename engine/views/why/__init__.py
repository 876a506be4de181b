"""Why a row is in a view, or is not: derivations, cuts, probability; all of it within an effort.

explain        from a row of a view down to base rows; the way in
  ways         linear recursion: linear → ways → graph → blocks → web → states, path_cuts, paths_factor
  goal         any rules: ground → necessary → solve
provenance     the answer: factor, hitting, probability
missing        from a row that is not there; cut_off, kept_out, underived, absent → gap
effort, match, present     what all of them use
"""
