-- The service gives the extent of a feature with the feature, which it has read anyway. The trigger read the text of each five times.
DROP TRIGGER extent_added;
