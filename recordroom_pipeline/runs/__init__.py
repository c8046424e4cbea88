"""run.json assembled; which verdicts flip between two runs."""
