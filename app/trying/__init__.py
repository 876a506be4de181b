"""Trying a file of sources before it is used.

trial     what messages would become, by the decoder itself
said      that, as lines of text
command   `smartcis sources check` and `smartcis sources try`
"""
