"""The command `anvl cache`: what the cache of compiled programs holds, and its removal."""
