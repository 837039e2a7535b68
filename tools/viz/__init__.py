"""`anvl-viz`: a program, or each stage of a pipeline, as a page, a picture or a graph."""
