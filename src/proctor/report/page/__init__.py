"""The siris report as a folder: one page, its tables, its figures."""

from proctor.report.page.folder import Written, refuse_files, write_report

__all__ = ["Written", "refuse_files", "write_report"]
