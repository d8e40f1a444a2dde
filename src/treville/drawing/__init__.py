"""One kit for all SVG pictures: what they are made of, in which colours, and where boxes and curves lie.

Each picture has its own layout (executions in `witness`, histories, nets, explorations) and is written
through `drawing.svg`; nothing here knows what is drawn.
"""
