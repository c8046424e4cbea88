"""RecordRoom: hold the work of AI agents to an expert's written rules, with cited evidence."""
