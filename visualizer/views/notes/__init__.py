"""What a person notes: bookmarks and marks, breakpoints, and the line that queries are typed in."""
