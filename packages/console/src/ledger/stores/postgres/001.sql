CREATE TABLE impersonation_audit_schema (
  version bigint PRIMARY KEY
);

CREATE TABLE impersonation_audit_entry (
  id bigserial PRIMARY KEY,
  writer text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  text text COLLATE "C",
  row_id text COLLATE "C",
  repeat_key text COLLATE "C",
  time bigint NOT NULL,
  count bigint NOT NULL,
  last_time bigint
);

CREATE TABLE impersonation_audit_row (
  id text COLLATE "C" PRIMARY KEY CHECK ((data ->> 'id') IS NOT DISTINCT FROM id),
  version bigint NOT NULL,
  data jsonb NOT NULL,
  at bigint GENERATED ALWAYS AS (CAST((data ->> 'at') AS bigint)) STORED,
  last_at bigint GENERATED ALWAYS AS (CAST((data ->> 'lastAt') AS bigint)) STORED,
  customer text COLLATE "C" GENERATED ALWAYS AS ((data -> 'found') ->> 'customer') STORED,
  operator text COLLATE "C" GENERATED ALWAYS AS ((data -> 'found') ->> 'operator') STORED,
  ticket text COLLATE "C" GENERATED ALWAYS AS ((data -> 'found') ->> 'ticket') STORED,
  asked_at bigint GENERATED ALWAYS AS (CAST((data ->> 'askedAt') AS bigint)) STORED,
  started_at bigint GENERATED ALWAYS AS (CAST((data ->> 'startedAt') AS bigint)) STORED,
  expires_at bigint GENERATED ALWAYS AS (CAST((data ->> 'expiresAt') AS bigint)) STORED,
  end_cause text COLLATE "C" GENERATED ALWAYS AS ((data -> 'end') ->> 'cause') STORED,
  alarm_at bigint GENERATED ALWAYS AS (CAST(((data -> 'alarm') ->> 'at') AS bigint)) STORED,
  open_alarm_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'openAlarmAt') AS bigint)) STORED,
  objected_at bigint GENERATED ALWAYS AS (CAST(((data -> 'objection') ->> 'at') AS bigint)) STORED,
  held_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'heldAt') AS bigint)) STORED,
  unapproved boolean GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'isUnapproved') AS boolean)) STORED,
  notice_due_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'noticeDueAt') AS bigint)) STORED,
  alert_due_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'alertDueAt') AS bigint)) STORED,
  words tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(((data -> 'found') ->> 'words'), ' '))) STORED
);

CREATE TABLE impersonation_audit_writer (
  writer text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL,
  sequence bigint,
  hash text COLLATE "C"
);

CREATE TABLE impersonation_audit_removed (
  writer text COLLATE "C" NOT NULL,
  first_sequence bigint NOT NULL,
  last_sequence bigint NOT NULL,
  PRIMARY KEY (writer, first_sequence)
);

CREATE TABLE impersonation_audit_permit (
  id text COLLATE "C" PRIMARY KEY CHECK ((data ->> 'id') IS NOT DISTINCT FROM id),
  data jsonb NOT NULL,
  at bigint GENERATED ALWAYS AS (CAST((data ->> 'at') AS bigint)) STORED,
  customer text COLLATE "C" GENERATED ALWAYS AS (data ->> 'customer') STORED,
  operator text COLLATE "C" GENERATED ALWAYS AS (data ->> 'operator') STORED,
  slot text COLLATE "C" GENERATED ALWAYS AS (data ->> 'slot') STORED,
  state text COLLATE "C" GENERATED ALWAYS AS (data ->> 'state') STORED,
  review_due boolean GENERATED ALWAYS AS (CAST((data ->> 'isReviewDue') AS boolean)) STORED,
  over_at bigint GENERATED ALWAYS AS (CAST((data ->> 'overAt') AS bigint)) STORED,
  notice_due_at bigint GENERATED ALWAYS AS (CAST((data ->> 'noticeDueAt') AS bigint)) STORED,
  alert_due_at bigint GENERATED ALWAYS AS (CAST((data ->> 'alertDueAt') AS bigint)) STORED
);

CREATE TABLE impersonation_audit_checkpoint (
  id bigserial PRIMARY KEY,
  time bigint NOT NULL,
  jws text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX impersonation_audit_entry_link ON impersonation_audit_entry (writer, sequence);

CREATE INDEX impersonation_audit_entry_repeat_key ON impersonation_audit_entry (repeat_key, id) WHERE repeat_key IS NOT NULL;

CREATE INDEX impersonation_audit_entry_row ON impersonation_audit_entry (row_id, id) WHERE row_id IS NOT NULL;

CREATE INDEX impersonation_audit_entry_alone ON impersonation_audit_entry (time) WHERE row_id IS NULL AND text IS NOT NULL AND sequence > 1;

CREATE INDEX impersonation_audit_removed_end ON impersonation_audit_removed (writer, last_sequence);

CREATE INDEX impersonation_audit_row_place ON impersonation_audit_row (at, id);

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

CREATE INDEX impersonation_audit_row_words ON impersonation_audit_row USING gin (words);

INSERT INTO impersonation_audit_schema (version) VALUES (1);
