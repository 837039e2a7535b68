"""`anvl doctor`: whether the installation works, from end to end."""
