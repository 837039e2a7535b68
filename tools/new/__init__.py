"""`anvl new`: a project of ops and passes of one's own."""
