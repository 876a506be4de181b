"""`/docs`: the folder docs/ as a book, with contents, chapters in an order, and a search over all of them."""
