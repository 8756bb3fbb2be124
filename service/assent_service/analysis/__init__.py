"""What it means: tables, statistics, learning, drift, scores, calibration, readiness."""
