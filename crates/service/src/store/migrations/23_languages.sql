-- The language of a project's reports, cards and wall, such as pt-BR; NULL if not set.
ALTER TABLE projects ADD COLUMN language TEXT;
