-- A row of ai_usage is an answer that a provider began with success, also when it is no answer to the question.
-- Null: it was answered, as all requests of before; else the code of the failure.
ALTER TABLE ai_usage ADD COLUMN error_code TEXT;

-- Of a question: what it was asked with besides the other columns, as JSON {language, priorAnalysis, previewId}, where
-- priorAnalysis is a SHA-256 or null. Null of questions of before.
ALTER TABLE ai_message ADD COLUMN asked_with TEXT;
