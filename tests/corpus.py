"""Values on which sites differ if they differ: NULL, extremes, Unicode, what looks like syntax."""

from engine.model.values import Type, Value

BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP

WINTER_ENDS = 1_711_846_800_000_000  # 2024-03-31 01:00 UTC, when Berlin's clocks jump
CORPUS: dict[Type, list[Value]] = {
    BIGINT: [None, 0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)],
    DOUBLE: [
        None, 0.0, -0.0, 1.0, -1.0, 0.1, 0.1 + 0.2, 1 / 3, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-308,
        1e308, -1e308, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 9007199254740993.0, 1e16, 1e22, -1e-7,
    ],
    BOOLEAN: [None, True, False],
    TEXT: [
        None, "", " ", "a", "A", "b", "ab", "a ", "Z", "ä", "a\u0308", "ß", "ss", "Ω", "é", "e\u0301",
        "\u200b", "\uffff", "😀", "👩‍👩‍👧", "'", "''",
        '"', "\\", "\\\\", "\\n", "\n", "\t", "\r\n", "\x00", "a\x00b",
        "%", "_", "\\%", "\\u0041", "${env:HOME}", "$x", "{0}", "{all}", "NULL", "0", "00", "x" * 3_000,
        "x" * 2_999 + "y",
    ],
    TIMESTAMP: [
        None, 0, -1, WINTER_ENDS - 1, WINTER_ENDS, WINTER_ENDS + 3_600_000_000, 1_700_000_000_000_000, 2**62,
    ],
}  # fmt: skip
