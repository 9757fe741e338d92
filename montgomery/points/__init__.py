"""Points of elliptic curves: formulas as text, and what makes microcode of them."""
