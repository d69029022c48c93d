CREATE TABLE impersonation_audit_schema (
  version INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE impersonation_audit_entry (
  number INTEGER PRIMARY KEY,
  digest TEXT NOT NULL,
  text TEXT,
  mac TEXT NOT NULL,
  id TEXT GENERATED ALWAYS AS (substr(digest, 45, 22)) STORED,
  time INTEGER GENERATED ALWAYS AS (CAST(substr(digest, 68, 16) AS INTEGER)) STORED,
  subject TEXT GENERATED ALWAYS AS (nullif(substr(digest, 87), '')) STORED
) STRICT;

CREATE TABLE impersonation_audit_impersonation (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK ((data ->> '$.id') IS id),
  version INTEGER NOT NULL,
  data TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (data ->> '$.at') STORED,
  last_at INTEGER GENERATED ALWAYS AS (data ->> '$.lastAt') STORED,
  customer TEXT GENERATED ALWAYS AS (data ->> '$.found.customer') STORED,
  operator TEXT GENERATED ALWAYS AS (data ->> '$.found.operator') STORED,
  ticket TEXT GENERATED ALWAYS AS (data ->> '$.found.ticket') STORED,
  asked_at INTEGER GENERATED ALWAYS AS (data ->> '$.askedAt') STORED,
  started_at INTEGER GENERATED ALWAYS AS (data ->> '$.startedAt') STORED,
  expires_at INTEGER GENERATED ALWAYS AS (data ->> '$.expiresAt') STORED,
  end_cause TEXT GENERATED ALWAYS AS (data ->> '$.end.cause') STORED,
  alarm_at INTEGER GENERATED ALWAYS AS (data ->> '$.alarm.at') STORED,
  open_alarm_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.openAlarmAt') STORED,
  objected_at INTEGER GENERATED ALWAYS AS (data ->> '$.objection.at') STORED,
  held_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.heldAt') STORED,
  customer_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.customerDueAt') STORED,
  deployment_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.deploymentDueAt') STORED,
  words TEXT GENERATED ALWAYS AS (data ->> '$.found.words') STORED
) STRICT;

CREATE TABLE impersonation_audit_record (
  id TEXT PRIMARY KEY CHECK ((data ->> '$.id') IS id),
  version INTEGER NOT NULL,
  first INTEGER NOT NULL,
  data TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (data ->> '$.at') STORED,
  customer TEXT GENERATED ALWAYS AS (data ->> '$.customer') STORED,
  operator TEXT GENERATED ALWAYS AS (data ->> '$.operator') STORED,
  slot TEXT GENERATED ALWAYS AS (data ->> '$.slot') STORED,
  kind TEXT GENERATED ALWAYS AS (data ->> '$.kind') STORED,
  state TEXT GENERATED ALWAYS AS (data ->> '$.state') STORED,
  review_due INTEGER GENERATED ALWAYS AS (data ->> '$.isReviewDue') STORED,
  over_at INTEGER GENERATED ALWAYS AS (data ->> '$.overAt') STORED,
  customer_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.customerDueAt') STORED,
  deployment_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.deploymentDueAt') STORED
) STRICT;

CREATE TABLE impersonation_audit_seal (
  number INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  jws TEXT NOT NULL,
  mac TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX impersonation_audit_entry_id ON impersonation_audit_entry (id);

CREATE INDEX impersonation_audit_entry_subject ON impersonation_audit_entry (subject, number) WHERE subject IS NOT NULL;

CREATE INDEX impersonation_audit_entry_alone ON impersonation_audit_entry (time) WHERE subject IS NULL AND text IS NOT NULL;

CREATE INDEX impersonation_audit_seal_last ON impersonation_audit_seal (last);

CREATE INDEX impersonation_audit_impersonation_place ON impersonation_audit_impersonation (at, id, words);

CREATE INDEX impersonation_audit_impersonation_operator ON impersonation_audit_impersonation (operator, at, id) WHERE operator IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_customer ON impersonation_audit_impersonation (customer, at, id) WHERE customer IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_ticket ON impersonation_audit_impersonation (ticket, at, id) WHERE ticket IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_ended ON impersonation_audit_impersonation (end_cause, at, id) WHERE end_cause IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_started ON impersonation_audit_impersonation (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_not_started ON impersonation_audit_impersonation (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NULL;

CREATE INDEX impersonation_audit_impersonation_alarm ON impersonation_audit_impersonation (at, id) WHERE alarm_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_open_alarm ON impersonation_audit_impersonation (at, id) WHERE open_alarm_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_objected ON impersonation_audit_impersonation (at, id) WHERE objected_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_held ON impersonation_audit_impersonation (at, id) WHERE held_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_customer_due ON impersonation_audit_impersonation (at, id, customer_due_at) WHERE customer_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_deployment_due ON impersonation_audit_impersonation (at, id, deployment_due_at) WHERE deployment_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_impersonation_last ON impersonation_audit_impersonation (last_at) WHERE held_at IS NULL;

CREATE INDEX impersonation_audit_record_place ON impersonation_audit_record (at, id);

CREATE INDEX impersonation_audit_record_customer ON impersonation_audit_record (customer, at, id);

CREATE INDEX impersonation_audit_record_operator ON impersonation_audit_record (operator, at, id) WHERE operator IS NOT NULL;

CREATE INDEX impersonation_audit_record_kind ON impersonation_audit_record (kind, at, id);

CREATE INDEX impersonation_audit_record_state ON impersonation_audit_record (state, at, id);

CREATE INDEX impersonation_audit_record_review ON impersonation_audit_record (at, id) WHERE review_due;

CREATE INDEX impersonation_audit_record_customer_due ON impersonation_audit_record (at, id, customer_due_at) WHERE customer_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_record_deployment_due ON impersonation_audit_record (at, id, deployment_due_at) WHERE deployment_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_record_slot ON impersonation_audit_record (slot, first) WHERE slot IS NOT NULL;

CREATE INDEX impersonation_audit_record_over ON impersonation_audit_record (over_at) WHERE over_at IS NOT NULL;

CREATE VIRTUAL TABLE impersonation_audit_words USING fts5(
  words, content = 'impersonation_audit_impersonation', content_rowid = 'place', tokenize = 'ascii', detail = column, columnsize = 0
);

CREATE TRIGGER impersonation_audit_words_added AFTER INSERT ON impersonation_audit_impersonation BEGIN
  INSERT INTO impersonation_audit_words (rowid, words) VALUES (new.place, new.words);
END;

CREATE TRIGGER impersonation_audit_words_removed AFTER DELETE ON impersonation_audit_impersonation BEGIN
  INSERT INTO impersonation_audit_words (impersonation_audit_words, rowid, words) VALUES ('delete', old.place, old.words);
END;

CREATE TRIGGER impersonation_audit_words_changed AFTER UPDATE ON impersonation_audit_impersonation WHEN old.words IS NOT new.words OR old.place <> new.place BEGIN
  INSERT INTO impersonation_audit_words (impersonation_audit_words, rowid, words) VALUES ('delete', old.place, old.words);
  INSERT INTO impersonation_audit_words (rowid, words) VALUES (new.place, new.words);
END;

INSERT INTO impersonation_audit_words (impersonation_audit_words, rank) VALUES ('secure-delete', 1);

INSERT INTO impersonation_audit_schema (version) VALUES (1);
