"""Values to rich tables and JSON; computes nothing."""
