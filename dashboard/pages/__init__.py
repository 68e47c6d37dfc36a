"""The pages; each file reads from top to bottom like the page it draws."""
