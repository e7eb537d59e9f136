"""The text format of summaries: functions that write its parts, next to those that read them back in a later round."""
