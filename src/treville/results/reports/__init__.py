"""What commands answer: one typed report for each question. Text, JSON, JUnit and SARIF are rendered from
it."""
