"""Who is asked, in what order, within which deadline."""
