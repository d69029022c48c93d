CREATE TABLE impersonation_audit_schema (
  version INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE impersonation_audit_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  writer TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  digest TEXT NOT NULL,
  hash TEXT NOT NULL,
  text TEXT,
  row_id TEXT,
  repeat_key TEXT,
  time INTEGER NOT NULL,
  count INTEGER NOT NULL,
  last_time INTEGER
) STRICT;

CREATE TABLE impersonation_audit_row (
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
  unapproved INTEGER GENERATED ALWAYS AS (data ->> '$.found.isUnapproved') STORED,
  notice_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.noticeDueAt') STORED,
  alert_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.found.alertDueAt') STORED,
  words TEXT GENERATED ALWAYS AS (data ->> '$.found.words') STORED
) STRICT;

CREATE TABLE impersonation_audit_writer (
  writer TEXT PRIMARY KEY,
  batch INTEGER NOT NULL,
  sequence INTEGER,
  hash TEXT
) STRICT;

CREATE TABLE impersonation_audit_removed (
  writer TEXT NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  PRIMARY KEY (writer, first_sequence)
) STRICT;

CREATE TABLE impersonation_audit_permit (
  id TEXT PRIMARY KEY CHECK ((data ->> '$.id') IS id),
  data TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (data ->> '$.at') STORED,
  customer TEXT GENERATED ALWAYS AS (data ->> '$.customer') STORED,
  operator TEXT GENERATED ALWAYS AS (data ->> '$.operator') STORED,
  slot TEXT GENERATED ALWAYS AS (data ->> '$.slot') STORED,
  state TEXT GENERATED ALWAYS AS (data ->> '$.state') STORED,
  review_due INTEGER GENERATED ALWAYS AS (data ->> '$.isReviewDue') STORED,
  over_at INTEGER GENERATED ALWAYS AS (data ->> '$.overAt') STORED,
  notice_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.noticeDueAt') STORED,
  alert_due_at INTEGER GENERATED ALWAYS AS (data ->> '$.alertDueAt') STORED
) STRICT;

CREATE TABLE impersonation_audit_checkpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  jws TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX impersonation_audit_entry_link ON impersonation_audit_entry (writer, sequence);

CREATE INDEX impersonation_audit_entry_repeat_key ON impersonation_audit_entry (repeat_key, id) WHERE repeat_key IS NOT NULL;

CREATE INDEX impersonation_audit_entry_row ON impersonation_audit_entry (row_id, id) WHERE row_id IS NOT NULL;

CREATE INDEX impersonation_audit_entry_alone ON impersonation_audit_entry (time) WHERE row_id IS NULL AND text IS NOT NULL AND sequence > 1;

CREATE INDEX impersonation_audit_removed_end ON impersonation_audit_removed (writer, last_sequence);

CREATE INDEX impersonation_audit_row_place ON impersonation_audit_row (at, id, words);

CREATE INDEX impersonation_audit_row_operator ON impersonation_audit_row (operator, at, id) WHERE operator IS NOT NULL;

CREATE INDEX impersonation_audit_row_customer ON impersonation_audit_row (customer, at, id) WHERE customer IS NOT NULL;

CREATE INDEX impersonation_audit_row_ticket ON impersonation_audit_row (ticket, at, id) WHERE ticket IS NOT NULL;

CREATE INDEX impersonation_audit_row_ended ON impersonation_audit_row (end_cause, at, id) WHERE end_cause IS NOT NULL;

CREATE INDEX impersonation_audit_row_started ON impersonation_audit_row (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_not_started ON impersonation_audit_row (at, id, expires_at) WHERE end_cause IS NULL AND started_at IS NULL;

CREATE INDEX impersonation_audit_row_alarm ON impersonation_audit_row (at, id) WHERE alarm_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_open_alarm ON impersonation_audit_row (at, id) WHERE open_alarm_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_objected ON impersonation_audit_row (at, id) WHERE objected_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_held ON impersonation_audit_row (at, id) WHERE held_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_unapproved ON impersonation_audit_row (at, id) WHERE unapproved;

CREATE INDEX impersonation_audit_row_notice_due ON impersonation_audit_row (at, id, notice_due_at) WHERE notice_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_alert_due ON impersonation_audit_row (at, id, alert_due_at) WHERE alert_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_row_last ON impersonation_audit_row (last_at) WHERE held_at IS NULL;

CREATE INDEX impersonation_audit_permit_place ON impersonation_audit_permit (at, id);

CREATE INDEX impersonation_audit_permit_customer ON impersonation_audit_permit (customer, at, id);

CREATE INDEX impersonation_audit_permit_operator ON impersonation_audit_permit (operator, at, id) WHERE operator IS NOT NULL;

CREATE INDEX impersonation_audit_permit_state ON impersonation_audit_permit (state, at, id);

CREATE INDEX impersonation_audit_permit_review ON impersonation_audit_permit (at, id) WHERE review_due;

CREATE INDEX impersonation_audit_permit_notice_due ON impersonation_audit_permit (at, id, notice_due_at) WHERE notice_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_permit_alert_due ON impersonation_audit_permit (at, id, alert_due_at) WHERE alert_due_at IS NOT NULL;

CREATE INDEX impersonation_audit_permit_slot ON impersonation_audit_permit (slot) WHERE slot IS NOT NULL;

CREATE INDEX impersonation_audit_permit_over ON impersonation_audit_permit (over_at) WHERE over_at IS NOT NULL;

CREATE VIRTUAL TABLE impersonation_audit_words USING fts5(
  words, content = 'impersonation_audit_row', content_rowid = 'place', tokenize = 'ascii', detail = column, columnsize = 0
);

CREATE TRIGGER impersonation_audit_words_added AFTER INSERT ON impersonation_audit_row BEGIN
  INSERT INTO impersonation_audit_words (rowid, words) VALUES (new.place, new.words);
END;

CREATE TRIGGER impersonation_audit_words_removed AFTER DELETE ON impersonation_audit_row BEGIN
  INSERT INTO impersonation_audit_words (impersonation_audit_words, rowid, words) VALUES ('delete', old.place, old.words);
END;

CREATE TRIGGER impersonation_audit_words_changed AFTER UPDATE ON impersonation_audit_row WHEN old.words IS NOT new.words OR old.place <> new.place BEGIN
  INSERT INTO impersonation_audit_words (impersonation_audit_words, rowid, words) VALUES ('delete', old.place, old.words);
  INSERT INTO impersonation_audit_words (rowid, words) VALUES (new.place, new.words);
END;

INSERT INTO impersonation_audit_words (impersonation_audit_words, rank) VALUES ('secure-delete', 1);

INSERT INTO impersonation_audit_schema (version) VALUES (1);
