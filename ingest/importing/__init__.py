"""A building of one's own: GeoJSON in OpenStreetMap's Simple Indoor Tagging becomes a building folder.

    file ─reading─→ features ─tags, levels, frame─→ spaces, doors, lines ─meeting─→ who touches whom
         ─walking, climbing─→ points and segments ─reaching─→ report ─folder─→ plans, facts, sources, views

Pure functions but for the last step and for `seeding`, which brings the facts into a database.

References:
    OpenStreetMap Wiki: Simple Indoor Tagging; Key:level; Key:repeat_on.
"""
