-- The event that ended a rule: an undo of it brings the rule back.
ALTER TABLE alert_rule ADD COLUMN ended_by INTEGER REFERENCES alert_event (id) ON DELETE SET NULL;
CREATE INDEX alert_rule_ended_by ON alert_rule (ended_by);

UPDATE alert_rule SET ended_by = (
  SELECT e.id FROM alert_event e
  WHERE e.alert_id = alert_rule.alert_id AND e.action = 'reopen' AND e.undone_at IS NULL AND e.at = alert_rule.ended_at
) WHERE ended_at IS NOT NULL;
