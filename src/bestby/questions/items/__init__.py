"""Systems on the items of one test set: compared, or evaluated one by one."""
