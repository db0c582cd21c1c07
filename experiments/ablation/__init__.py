"""What each part of the detector is worth on databases left out."""
