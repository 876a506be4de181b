-- What every device measured last. Its past is kept, so what devices say can be drawn as a chart from the start.
CREATE VIEW measured WITH (history = '30 days', hours = '365 days', key = 'entity') AS
SELECT m.entity, m.device, m.quantity, m.value, m.text, m.unit, m.at
FROM measurements [PARTITION BY entity ROWS 1] m;
