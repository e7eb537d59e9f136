"""Asking a language model: requests are sent through litellm, cached, and limited in time and cost.

This is the only package that imports litellm, and only when a request is sent, since the import takes seconds.
"""
