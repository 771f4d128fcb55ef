-- AI insights: what was used, said and delivered. Rows are appended; only a conversation can be deleted, as a whole.
-- Instants are epoch milliseconds, prices USD per million tokens.

-- A request that a provider answered, with the price of its time.
CREATE TABLE ai_usage (
  id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('analysis', 'chat', 'draft', 'notification', 'test')),
  created_at INTEGER NOT NULL,
  provider TEXT NOT NULL CHECK (provider IN ('local', 'cloud_a', 'cloud_b', 'cloud_c')),
  model TEXT NOT NULL,
  -- Null: the answer said nothing about it that can be read. Those of the input contain the cached ones.
  input_tokens INTEGER CHECK (input_tokens >= 0),
  output_tokens INTEGER CHECK (output_tokens >= 0),
  total_tokens INTEGER CHECK (total_tokens >= 0),
  cache_read_tokens INTEGER CHECK (cache_read_tokens >= 0),
  cache_write_tokens INTEGER CHECK (cache_write_tokens >= 0),
  pricing_version TEXT NOT NULL,
  -- The entry of the catalog as JSON; null: it has none of this model.
  price TEXT,
  -- Null: usage or price is not known.
  cost_usd REAL CHECK (cost_usd >= 0),
  CHECK ((input_tokens IS NULL) = (output_tokens IS NULL) AND (input_tokens IS NULL) = (total_tokens IS NULL))
) STRICT;

CREATE INDEX ai_usage_time ON ai_usage (created_at);

CREATE TABLE ai_conversation (
  id INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  range_from INTEGER NOT NULL,
  range_to INTEGER NOT NULL,
  source_kind TEXT,
  source_id TEXT
) STRICT;

CREATE TABLE ai_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES ai_conversation (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL UNIQUE,
  request_id TEXT NOT NULL,
  -- Of a question: the conversation that the request named, which is another one where it began this one; null: none.
  asked_conversation TEXT,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  -- Null of an answer that failed.
  body TEXT,
  created_at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  range_from INTEGER NOT NULL,
  range_to INTEGER NOT NULL,
  source_kind TEXT,
  source_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('complete', 'failed')),
  error_code TEXT,
  truncated INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0, 1)),
  -- JSON of the contract.
  citations TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  total_tokens INTEGER,
  cost_usd REAL,
  pricing_version TEXT,
  UNIQUE (request_id, role),
  CHECK ((body IS NULL) = (status = 'failed') AND (error_code IS NULL) = (status = 'complete'))
) STRICT;

CREATE INDEX ai_message_conversation ON ai_message (conversation, id);

-- An analysis that was made or failed, whoever began it.
CREATE TABLE ai_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  trigger_type TEXT NOT NULL CHECK (trigger_type IN ('scheduled', 'threat', 'manual', 'test')),
  -- Names the occasion; a failed try has its number behind it.
  trigger_key TEXT UNIQUE,
  cause TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  range_from INTEGER NOT NULL,
  range_to INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('complete', 'failed')),
  provider TEXT,
  model TEXT,
  -- Null when it failed, or is not to be shown in the UI.
  body TEXT,
  citations TEXT,
  -- Names the alert of the outbox that carries it; null: it goes to no chat workspace.
  chat_key TEXT UNIQUE,
  input_tokens INTEGER,
  output_tokens INTEGER,
  total_tokens INTEGER,
  cost_usd REAL,
  error_code TEXT
) STRICT;

CREATE INDEX ai_event_time ON ai_event (created_at, id);

-- Alerts of ai_event that the chat workspace has taken.
CREATE TABLE ai_event_sent (
  chat_key TEXT PRIMARY KEY,
  sent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A try of an occasion that the hub begins by itself, stored before a provider is asked: one that a crash ended counts.
CREATE TABLE ai_attempt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trigger_type TEXT NOT NULL CHECK (trigger_type IN ('scheduled', 'threat')),
  -- As trigger_key of the event of the try that is answered.
  trigger_key TEXT NOT NULL,
  cause TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 1),
  begun_at INTEGER NOT NULL,
  UNIQUE (trigger_key, number)
) STRICT;

CREATE INDEX ai_attempt_time ON ai_attempt (begun_at);

CREATE TRIGGER ai_usage_unchanged BEFORE UPDATE ON ai_usage BEGIN SELECT raise(ABORT, 'rows of ai_usage never change'); END;
CREATE TRIGGER ai_usage_undeleted BEFORE DELETE ON ai_usage BEGIN SELECT raise(ABORT, 'rows of ai_usage are never deleted'); END;
CREATE TRIGGER ai_conversation_unchanged BEFORE UPDATE ON ai_conversation
  BEGIN SELECT raise(ABORT, 'rows of ai_conversation never change'); END;
CREATE TRIGGER ai_message_unchanged BEFORE UPDATE ON ai_message BEGIN SELECT raise(ABORT, 'rows of ai_message never change'); END;
CREATE TRIGGER ai_message_undeleted BEFORE DELETE ON ai_message
  WHEN EXISTS (SELECT 1 FROM ai_conversation WHERE id = old.conversation)
  BEGIN SELECT raise(ABORT, 'a message goes with its conversation'); END;
CREATE TRIGGER ai_event_unchanged BEFORE UPDATE ON ai_event BEGIN SELECT raise(ABORT, 'rows of ai_event never change'); END;
CREATE TRIGGER ai_event_undeleted BEFORE DELETE ON ai_event BEGIN SELECT raise(ABORT, 'rows of ai_event are never deleted'); END;
CREATE TRIGGER ai_attempt_unchanged BEFORE UPDATE ON ai_attempt BEGIN SELECT raise(ABORT, 'rows of ai_attempt never change'); END;
CREATE TRIGGER ai_attempt_undeleted BEFORE DELETE ON ai_attempt BEGIN SELECT raise(ABORT, 'rows of ai_attempt are never deleted'); END;
