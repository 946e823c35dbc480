-- Whether nobody gave the dates of a diagram: responses then show the day of its creation, since they have no null for dates.
-- NULL where nothing but the dates tells: for diagrams of earlier versions, and of archives of other services.
ALTER TABLE all_diagrams ADD COLUMN undated INTEGER;
