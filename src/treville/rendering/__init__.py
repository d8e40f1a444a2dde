"""Reports as people and other tools read them: text, herd7's text, JUnit, SARIF, annotations."""
