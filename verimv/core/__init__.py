"""What everything rests on: errors, files, effort, option values, display in notebooks, workers."""
