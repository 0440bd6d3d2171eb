"""Pictures: images and drawings, their labels and captions."""
