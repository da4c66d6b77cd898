"""Results for continuous integration: annotations, JUnit, SARIF, baselines."""
