"""Words around a person's name: titles, degrees, sex and age, and what is nobody's name."""

from blobforge.processors.lab_report.vocabulary.patterns import any_term

ADDRESS = any_term("titles", "address")
"""As a letter addresses somebody; as printed, since case tells it from other words."""
BEFORE_BIRTH = any_term("titles", "address", "before_birth")
"""The same where a birthday follows the name."""
GREETING = any_term("titles", "greetings")
TITLE = any_term("titles", "address", "academic", "other")
ACADEMIC = any_term("titles", "academic")
BEHIND_NAME = any_term("titles", "behind")
DOCTOR = any_term("doctors", "titles")
DEGREE = any_term("doctors", "degrees")
FACULTY = any_term("doctors", "faculties")
PATIENT = any_term("people", "patient")
INSTITUTION = any_term("places", "institutions")
SEX = any_term("people", "sexes")
YEARS = any_term("people", "years")
AFTER_NAME = any_term("people", "after_name")
"""Where a name ends: the words for birth, age and sex."""
BORN_BEHIND = any_term("people", "born_behind")
"""What stands behind a date of birth."""
NOBODY = any_term("people", "nobody")
