"""Recursive strata in four physical forms; the planner chooses, and all put out the same changes.

bitsets     linear rules that hand columns on        a set of ȳ for each x, one witness a row
matrices    the same with the best of one cost       best costs, alternates left in the edges
rules       any rules                                one derivation a fact, ranks
staged      rules that negate what they define,      derivations counted, stage after stage
            whose rows stand on lower stages
"""
