-- Rows of a selection that whoever decided on it left out: they stay in it, and nothing was decided on them.

ALTER TABLE selection_row ADD COLUMN left_out BOOLEAN NOT NULL DEFAULT FALSE;
