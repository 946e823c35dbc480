-- The short code on a card, which people type in place of the link. Both are NULL for a token that is on no card.
-- The digest of the code.
ALTER TABLE tokens ADD COLUMN code BLOB;
-- The token, which only the code opens.
ALTER TABLE tokens ADD COLUMN sealed BLOB;
