"""What an application does with its cluster beside processing: preparation, notices, reset."""
