"""Who answers: recorded answers, any litellm model; and the runner that keeps them within bounds."""
