"""Materials and turns as citable segments; which of them `reads` allows; spans verified."""
