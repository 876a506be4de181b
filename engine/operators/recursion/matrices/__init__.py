"""The matrix form: pass-through linear recursion that keeps the best of one cost."""
