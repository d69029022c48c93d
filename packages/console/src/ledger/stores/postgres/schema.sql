WITH given AS (
  SELECT * FROM json_to_recordset(CAST(? AS json)) AS given (id oid, name text)
), tables AS (
  SELECT id AS table_id, name AS table_name FROM given WHERE name NOT LIKE '%(%'
)
SELECT line COLLATE "C" AS line FROM (
  SELECT concat_ws(' ', 'table', table_name, relkind, relrowsecurity, CASE WHEN relpersistence = 'u' THEN 'unlogged' END) AS line
  FROM tables JOIN pg_class ON pg_class.oid = table_id
  UNION ALL
  SELECT concat_ws(' ', 'column', table_name, attname, format_type(atttypid, atttypmod), collname,
    CASE WHEN attnotnull THEN 'not null' END,
    CASE WHEN attgenerated <> '' THEN concat('generated ', attgenerated, ' ', pg_get_expr(adbin, adrelid)) END)
  FROM tables JOIN pg_attribute ON attrelid = table_id AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  LEFT JOIN pg_collation ON pg_collation.oid = attcollation
  UNION ALL
  SELECT concat_ws(' ', 'index', regexp_replace(pg_get_indexdef(indexrelid), ' ON \S+ USING', ' ON ' || table_name || ' USING'),
    CASE WHEN NOT indisvalid THEN 'invalid' END)
  FROM tables JOIN pg_index ON indrelid = table_id
  WHERE indexrelid <> ALL (SELECT conindid FROM pg_constraint WHERE conrelid = table_id)
  UNION ALL
  SELECT concat_ws(' ', 'constraint', table_name, conname, pg_get_constraintdef(pg_constraint.oid),
    CASE WHEN NOT convalidated THEN 'not validated' END)
  FROM tables JOIN pg_constraint ON conrelid = table_id AND contype IN ('c', 'p', 'u', 'x', 'f')
  UNION ALL
  SELECT concat_ws(' ', 'trigger', table_name, tgname)
  FROM tables JOIN pg_trigger ON tgrelid = table_id AND NOT tgisinternal
  UNION ALL
  SELECT concat_ws(' ', 'rows of', inhrelid::regclass, 'in', table_name)
  FROM tables JOIN pg_inherits ON inhparent = table_id
  UNION ALL
  SELECT concat_ws(' ', 'function', name, lanname, provolatile, CASE WHEN prosecdef THEN 'of its owner' END, proconfig, prosrc)
  FROM given JOIN pg_proc ON pg_proc.oid = id AND name LIKE '%(%' JOIN pg_language ON pg_language.oid = prolang
  UNION ALL
  SELECT concat_ws(' ', 'rule', table_name, rulename)
  FROM tables JOIN pg_rewrite ON ev_class = table_id
) AS lines ORDER BY 1
