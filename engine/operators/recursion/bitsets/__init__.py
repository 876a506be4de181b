"""The bitset form: pass-through linear recursion of a set."""
