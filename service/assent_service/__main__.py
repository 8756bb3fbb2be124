"""`python -m assent_service`: the service alone, from the settings."""

from assent_service.serve import run

if __name__ == "__main__":
    run()
