"""Tables that ship with the project; see README.md in this folder for source, licence and meaning."""
