-- The currency of a project's rates, budgets and costs, such as USD; NULL where nobody has said it.
ALTER TABLE projects ADD COLUMN currency TEXT;
