"""The text of a summary as a format: what writes its parts, beside what reads them back in a later round."""
