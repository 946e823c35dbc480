"""Basemaps for the room, cut from extracts of OpenStreetMap."""
