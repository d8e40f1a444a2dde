"""Facts about events and models: values, aliases, which events go together, and the may, must and active
pairs of every relation (paper 004, section 4.6).
"""
