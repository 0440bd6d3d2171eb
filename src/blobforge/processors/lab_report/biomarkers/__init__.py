"""The biomarkers that laboratories report: which code a printed name stands for, in seven languages.

`table().find(name, unit=...)` gives the biomarker, or None where the name is unknown or could mean two things.
The rows are in `panels/`, one file a panel; `panels/NOTICE` has the notice of LOINC, whose numbers are the codes.
"""

from blobforge.processors.lab_report.biomarkers.lookup import BiomarkerTable, table
from blobforge.processors.lab_report.biomarkers.panel_files import Biomarker
from blobforge.processors.lab_report.vocabulary.specimens import Specimen

__all__ = ["Biomarker", "BiomarkerTable", "Specimen", "table"]
