"""All that a client can use beside tools: resources, prompts, completions, news."""
