"""Selection by the detector's probability among the systems' queries."""
