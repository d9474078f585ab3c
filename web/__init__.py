"""The site: labs, course text, the browser shell, and the builder that turns them into static files."""
