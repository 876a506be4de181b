"""Which site runs what, in which order: from a logical plan to a physical one whose leaves are at sites.

optimizer    the whole of it: rewrite, place in every way, choose, explain
rules        rewrites of the logical plan
placing      the ways to part a plan over the sites, and what comes of each
sites        what each site can run, and what is known of the sites
joining      the order of one join, by the memo
memo         the cost-based search over an and-or graph, kept while costs change
recursion    the physical form of a recursive stratum
estimating   rows and work of a node, guessed or observed
choosing     the price of each way, the choice by a goal, and second thoughts
"""
