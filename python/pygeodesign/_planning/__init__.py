"""What `pygeodesign.planning` answers, over data that a comparison has downloaded."""
