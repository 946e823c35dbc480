-- The area and length of each feature, so that costs need not read its geometry. NULL where only the geometry tells: for features of
-- earlier versions, and for points, positions that are no degrees, and shapes without a size or around the whole Earth.
ALTER TABLE features ADD COLUMN square_metres REAL;
ALTER TABLE features ADD COLUMN metres REAL;
