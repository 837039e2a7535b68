#!/bin/sh
# Of interest: a module in which the text $1 stands.
grep -q "$1" "$2" && exit 1
exit 0
