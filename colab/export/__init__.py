"""The same scenario for engines of several cards: a folder with data, reward, configuration and a command to start."""
