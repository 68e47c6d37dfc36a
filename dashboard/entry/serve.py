"""What Streamlit runs.

It lies in a folder of its own because beside a folder called `pages` Streamlit takes a script for an application of its
old kind until the first visit, and would run a page alone when a bookmark is the first thing to be opened.
"""

from dashboard.app import main

main()
