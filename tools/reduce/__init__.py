"""`anvl-reduce`: the edits that shrink a module, the questions it must answer, and the search."""
