"""Systems on several datasets: `compare_datasets`."""
