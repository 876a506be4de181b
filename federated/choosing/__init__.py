"""What each way costs, which one the goal chooses, and whether another would be chosen by now."""
