"""A check for every command of the registry, by command id; test_every_command runs them."""

from command_checks import documents, looking, marking, moving, understanding
from command_checks.check import Check

CHECKS: dict[str, Check] = {
    **documents.CHECKS,
    **moving.CHECKS,
    **marking.CHECKS,
    **looking.CHECKS,
    **understanding.CHECKS,
}
