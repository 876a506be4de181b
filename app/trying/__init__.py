"""Trying a file of sources before it is used.

trial     what messages would become, by the decoder itself
said      that, as lines of text
pages     what pages have now, likewise
command   `smartcis sources check` and `smartcis sources try`
"""
