"""Accounts: who may sign in, with which role, and what was done by whom.

accounts    names, roles, passwords as argon2 hashes, invitations that are good once
tokens      what programs sign in with: digests, each with an account, a role, a day
tries       how often a password may be guessed
audit       what was done that matters, by whom, from where
routes      the pages and the API of all of these
"""
