"""One module per question that runs on the pipeline: each reads like the sentence that it answers."""
