"""Who asks the HTTP server: the command line, and the other drivers of an application."""
