"""Asking a language model: sent through litellm, kept in a cache, within limits of time and cost.

The only package that imports litellm, and only when a request is sent: that takes seconds.
"""
