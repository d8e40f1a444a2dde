"""Everything that answers questions: one contract, one class per engine, one table that schedules them."""
