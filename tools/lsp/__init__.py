"""`anvl-lsp`: what an editor shows of a program, by the Language Server Protocol."""
