"""Results as text, tables, pages and figures."""
