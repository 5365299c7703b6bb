"""How many attempts: which system is better if k answers to each problem are drawn, for every k."""
