CREATE TABLE impersonation_audit_schema (
  version bigint PRIMARY KEY
);

CREATE TABLE impersonation_audit_entry (
  number bigint PRIMARY KEY,
  digest text COLLATE "C" NOT NULL,
  text text COLLATE "C",
  mac text COLLATE "C" NOT NULL,
  id text COLLATE "C" GENERATED ALWAYS AS (substr(digest, 45, 22)) STORED,
  time bigint GENERATED ALWAYS AS (CAST(substr(digest, 68, 16) AS bigint)) STORED,
  subject text COLLATE "C" GENERATED ALWAYS AS (nullif(substr(digest, 87), '')) STORED
);

CREATE TABLE impersonation_audit_impersonation (
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
  customer_due_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'customerDueAt') AS bigint)) STORED,
  deployment_due_at bigint GENERATED ALWAYS AS (CAST(((data -> 'found') ->> 'deploymentDueAt') AS bigint)) STORED,
  words tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(((data -> 'found') ->> 'words'), ' '))) STORED
);

CREATE TABLE impersonation_audit_record (
  id text COLLATE "C" PRIMARY KEY CHECK ((data ->> 'id') IS NOT DISTINCT FROM id),
  version bigint NOT NULL,
  first bigint NOT NULL,
  data jsonb NOT NULL,
  at bigint GENERATED ALWAYS AS (CAST((data ->> 'at') AS bigint)) STORED,
  customer text COLLATE "C" GENERATED ALWAYS AS (data ->> 'customer') STORED,
  operator text COLLATE "C" GENERATED ALWAYS AS (data ->> 'operator') STORED,
  slot text COLLATE "C" GENERATED ALWAYS AS (data ->> 'slot') STORED,
  kind text COLLATE "C" GENERATED ALWAYS AS (data ->> 'kind') STORED,
  state text COLLATE "C" GENERATED ALWAYS AS (data ->> 'state') STORED,
  review_due boolean GENERATED ALWAYS AS (CAST((data ->> 'isReviewDue') AS boolean)) STORED,
  over_at bigint GENERATED ALWAYS AS (CAST((data ->> 'overAt') AS bigint)) STORED,
  customer_due_at bigint GENERATED ALWAYS AS (CAST((data ->> 'customerDueAt') AS bigint)) STORED,
  deployment_due_at bigint GENERATED ALWAYS AS (CAST((data ->> 'deploymentDueAt') AS bigint)) STORED
);

CREATE TABLE impersonation_audit_seal (
  number bigint PRIMARY KEY,
  last bigint NOT NULL,
  jws text COLLATE "C" NOT NULL,
  mac text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX impersonation_audit_entry_id ON impersonation_audit_entry (id);

CREATE INDEX impersonation_audit_entry_subject ON impersonation_audit_entry (subject, number) WHERE subject IS NOT NULL;

CREATE INDEX impersonation_audit_entry_alone ON impersonation_audit_entry (time) WHERE subject IS NULL AND text IS NOT NULL;

CREATE INDEX impersonation_audit_seal_last ON impersonation_audit_seal (last);

CREATE INDEX impersonation_audit_impersonation_place ON impersonation_audit_impersonation (at, id);

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

CREATE INDEX impersonation_audit_impersonation_words ON impersonation_audit_impersonation USING gin (words);

CREATE FUNCTION impersonation_audit_write(entries json, sums json, slots json, deadline bigint, OUT outcome text, OUT place bigint, OUT now bigint) LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
BEGIN
  -- What other writes committed is seen by the statements after this one.
  PERFORM pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('impersonation_audit_entry'));
  -- Of the types that pg_catalog multiplies: an operator elsewhere could fit others better.
  now := floor(CAST(extract(epoch FROM clock_timestamp()) AS numeric) * 1000.0);
  SELECT number INTO place FROM impersonation_audit_entry WHERE id = substr(entries -> 0 ->> 'digest', 45, 22);
  IF found THEN
    outcome := 'stored';
  ELSIF now > deadline THEN
    outcome := 'late';
  ELSIF EXISTS (
    SELECT 1 FROM json_to_recordset(sums) AS new (id text, replaces bigint)
    LEFT JOIN impersonation_audit_impersonation AS impersonation ON impersonation.id = new.id
    LEFT JOIN impersonation_audit_record AS record ON record.id = new.id
    WHERE coalesce(impersonation.version, record.version, 0) <> replaces
  ) OR EXISTS (
    SELECT 1 FROM json_to_recordset(slots) AS wanted (slot text, version bigint)
    WHERE wanted.version <> coalesce((SELECT record.version FROM impersonation_audit_record AS record
      WHERE record.slot = wanted.slot ORDER BY first DESC LIMIT 1), 0)
  ) THEN
    outcome := 'changed';
  ELSE
    SELECT coalesce(max(number), 0) + 1 INTO place FROM impersonation_audit_entry;
    INSERT INTO impersonation_audit_entry (number, digest, text, mac)
      SELECT place + at - 1, digest, text, mac
      FROM ROWS FROM (json_to_recordset(entries) AS (digest text, text text, mac text)) WITH ORDINALITY AS new (digest, text, mac, at);
    INSERT INTO impersonation_audit_impersonation (id, version, data)
      SELECT id, place + at, data FROM json_to_recordset(sums) AS new (kind text, id text, at bigint, data jsonb)
      WHERE kind = 'impersonation'
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data;
    GET DIAGNOSTICS written = ROW_COUNT;
    -- Most writes have no record.
    IF written < json_array_length(sums) THEN
      INSERT INTO impersonation_audit_record (id, version, first, data)
        SELECT id, place + at, place + "from", data FROM json_to_recordset(sums) AS new (kind text, id text, "from" bigint, at bigint, data jsonb)
        WHERE kind = 'record'
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data;
    END IF;
    outcome := 'stored';
  END IF;
END $$;

CREATE FUNCTION impersonation_audit_remove(sums json, alone json) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  gone text[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('impersonation_audit_entry'));
  WITH old AS (
    SELECT id, version FROM json_to_recordset(sums) AS given (id text, version bigint)
  ), impersonations AS (
    DELETE FROM impersonation_audit_impersonation AS stored USING old
    WHERE stored.id = old.id AND stored.version = old.version RETURNING stored.id
  ), records AS (
    DELETE FROM impersonation_audit_record AS stored USING old
    WHERE stored.id = old.id AND stored.version = old.version RETURNING stored.id
  ) SELECT coalesce(array_agg(id), '{}') INTO gone FROM (SELECT id FROM impersonations UNION ALL SELECT id FROM records) AS removed;
  UPDATE impersonation_audit_entry SET text = NULL WHERE subject = ANY(gone) AND text IS NOT NULL;
  UPDATE impersonation_audit_entry SET text = NULL
    WHERE number = ANY(ARRAY(SELECT CAST(value AS bigint) FROM json_array_elements_text(alone) AS given (value)));
  RETURN cardinality(gone) + json_array_length(alone);
END $$;

INSERT INTO impersonation_audit_schema (version) VALUES (1);
