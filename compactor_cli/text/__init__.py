"""Pure tools on texts that several stages share."""
