"""What is asked, decided and done: guard and its rules, actions, what they assume and leave open, approvals,
outcomes, signals, erasure."""
