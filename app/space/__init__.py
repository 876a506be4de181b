"""The use of space, from the past of a building's views: people, energy, and sensors that are stuck."""
