"""Ways on foot for visitors: what may be wished for, a shared view for each wish, and what is held for whom.

facts.py     what a building says of segments, doors, desks, machines and rooms, as plans
wish.py      what somebody looks for, as it comes in a request
plans.py     a wish as a plan; the views that are there for everybody
shared.py    one view for all who wish the same, as long as somebody watches it
holding.py   what is kept for a visitor, and where to when it is taken
routes.py    the same over HTTP
"""
