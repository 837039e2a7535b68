"""`anvl-plan`: what a program would take on a machine that is not here, for several meshes."""
