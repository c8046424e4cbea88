"""What a judge is asked, what an answer is worth, and what arithmetic settles without one."""
