"""House rules that tables use, a file each, over all the rules systems that come with Affray (README.md lists them).

Every file stands for itself and can be copied as the beginning of a rule of your own: it imports the public names of
`affray.kernel` and nothing of a system or of another rule. `amounts.py` alone is no rule: it holds the three lines that several
rules need to change a number of damage together with its explanation.
"""
