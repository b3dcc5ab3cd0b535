"""What is known about the focus or a range: the inspector, the explanation, the sentence above the lanes."""
