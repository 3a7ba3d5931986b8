"""One member of the application: it joins the group, runs its tasks, commits."""
