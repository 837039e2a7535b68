"""`anvl.numpy`: what the Array API standard asks beyond functions of numbers.

Inspection of the namespace, dtypes, devices, and functions whose results have a shape that depends
on values.
"""
