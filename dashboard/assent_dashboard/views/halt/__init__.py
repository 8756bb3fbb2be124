"""The kill switch, where every page shows that it is on."""
