"""What `make` runs before there is an environment to run it in.

Standard library only: the first of these lines runs under whatever Python 3.11 the machine has.
"""
