"""A campaign on many machines: questions travel with what they read, by Dask, and reports come back."""
