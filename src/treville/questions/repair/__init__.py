"""`treville repair`: which fence, which memory order, exactly where."""
