"""What people write in this world, as templates: one file for each kind of text, and what all kinds share."""
