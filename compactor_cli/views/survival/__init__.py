"""What of a transcript survives in a second one: a judge that shares no patterns with what it judges."""
