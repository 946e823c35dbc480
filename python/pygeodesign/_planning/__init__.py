"""What `pygeodesign.planning` computes: a file per question, each of frames and sets of diagram ids."""
