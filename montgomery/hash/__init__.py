"""Hash functions that RSA's encodings need: SHA-1, and the mask generation function MGF1."""
