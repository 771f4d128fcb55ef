-- A row of ai_usage is an answer that a provider began with success, also when it is no answer to the question.
-- Null: it was answered, as all requests of before; else the code of the failure.
ALTER TABLE ai_usage ADD COLUMN error_code TEXT;
