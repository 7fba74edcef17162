prefix = "blue"
