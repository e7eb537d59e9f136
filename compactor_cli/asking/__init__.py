"""Asking a language model: the interface, the turns and prompts to send, and the checking of answers."""
