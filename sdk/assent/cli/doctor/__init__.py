"""`assent doctor`: what is right and wrong with the service, the key, this machine and the workspace."""

from assent.cli.doctor.command import register

__all__ = ["register"]
