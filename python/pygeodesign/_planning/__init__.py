"""The questions of `pygeodesign.planning`, answered from data that a comparison has downloaded."""
