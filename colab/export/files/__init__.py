"""Files that travel into an exported folder as they are; they run there and are imported by nothing."""
