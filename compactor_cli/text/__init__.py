"""Pure text functions that several stages share."""
