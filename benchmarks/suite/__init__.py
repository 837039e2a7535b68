"""The suite: functions and training steps as people write them, on both sides."""
