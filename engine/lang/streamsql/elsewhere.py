"""What other databases call it: names that people try, and what is written here instead.

ISNULL(x, y)  →  coalesce(x, y)        IF(p, a, b)  →  CASE        UPDATE  →  INSERT by a key
"""

COALESCE = "coalesce(x, y) is the first that is not NULL"
JOINED = "string_agg(x, ', ' ORDER BY x) puts texts together"
NO_MIDDLE = "array_agg(x ORDER BY x) has the values in order, from min(x) to max(x), and avg(x) is there"
FORMAT = "CAST(x AS text) writes a value, extract(hour FROM t) and the like are the parts of a timestamp"
CASE = "write CASE WHEN condition THEN a ELSE b END"
DIFFERENCE = "t - u is the time between, in microseconds; (t - u) / INTERVAL '1 day' are days"
SUM = "t + INTERVAL '1 day' is a moment later"
PATTERN = "strpos(text, part) is the place of a part"
KEYED = "INSERT into a table with a key replaces the row of that key, and DELETE takes rows out"
AT_ONCE = "each statement holds as soon as it is carried out"

FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("isnull", "ifnull", "nvl", "zeroifnull"), COALESCE),
    **dict.fromkeys(("group_concat", "listagg", "wm_concat"), JOINED),
    **dict.fromkeys(("median", "percentile", "quantile", "percentile_cont", "percentile_disc"), NO_MIDDLE),
    **dict.fromkeys(("to_char", "date_format", "strftime", "format"), FORMAT),
    **dict.fromkeys(("if", "iif", "decode"), CASE),
    **dict.fromkeys(("datediff", "timestampdiff", "date_diff"), DIFFERENCE),
    **dict.fromkeys(("dateadd", "timestampadd", "date_add", "date_sub"), SUM),
    **dict.fromkeys(("instr", "charindex", "locate"), PATTERN),
    "len": "length(x) counts the characters of a text",
    "convert": "write CAST(x AS type)",
    "to_number": "write CAST(x AS double)",
    "to_date": "write CAST(x AS timestamp)",
}
STATEMENTS: dict[str, str] = {
    **dict.fromkeys(("UPDATE", "MERGE", "REPLACE", "UPSERT"), KEYED),
    **dict.fromkeys(("BEGIN", "START", "COMMIT", "ROLLBACK"), AT_ONCE),
    "ALTER": "CREATE OR REPLACE VIEW changes a view; a table or stream is dropped and created anew",
    "TRUNCATE": "DELETE FROM table takes all of its rows out",
}
