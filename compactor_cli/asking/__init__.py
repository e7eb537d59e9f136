"""Asking a language model: the port, turns and prompts that are sent, and answers that are checked."""
