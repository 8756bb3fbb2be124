"""For tests of agents: a service in the process, with guard's real rules, and a pytest plugin that hands it out.

def test_payments_ask(assent):                       # the fixture of the plugin
    assent.policies({"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}})
    assent.approve_next()
    my_agent.run("Pay the invoice")                  # whatever client it uses talks to this service
    assent.assert_governed("pay")
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from assent.testing.cassette import Cassette, NotRecorded
    from assent.testing.fake_service import FakeService, Mode, UngovernedCall

__all__ = ["Cassette", "FakeService", "Mode", "NotRecorded", "UngovernedCall"]

if not TYPE_CHECKING:  # pytest reads the plugin in every run, also where nobody asks for a service

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module 'assent.testing' has no attribute {name!r}; it has {', '.join(__all__)}")
        from importlib import import_module

        home = "cassette" if name in ("Cassette", "NotRecorded") else "fake_service"
        return getattr(import_module(f"assent.testing.{home}"), name)
