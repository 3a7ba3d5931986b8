"""Interactive queries: questions travel as bytes to the workers that own the tasks, and back."""
