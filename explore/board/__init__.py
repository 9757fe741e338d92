"""Dev boards: builds, records of bitstreams, self-tests and simulations."""
