"""People at one keyboard: what `affray play` is made of.

`choices.py` reads what somebody picks, `drafts.py` what somebody declares, `faces.py` the dice somebody throws; these
are pure. `keyboard.py` asks for lines, `words.py` holds the words that are understood at every prompt, `seat.py` asks
one person one thing, and `game.py` goes from one to the next.
"""
