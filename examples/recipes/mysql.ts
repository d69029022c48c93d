// MySQL and MariaDB, by mysql2. `table` is for a migration. An expired record stays until a job deletes
// it, a thousand at a time:
//   DELETE FROM oidc_records WHERE expiresAt <= UNIX_TIMESTAMP() * 1000 ORDER BY expiresAt LIMIT 1000
//
// The pool leads to the primary. A replica, or a proxy that sends reads to a replica, shows an end too
// late. If a failover promotes a replica that had not received a consumption, the token can be redeemed
// again: semi-synchronous replication narrows that gap.
import type { Pool, QueryResult, ResultSetHeader, RowDataPacket } from 'mysql2/promise'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { keyOf, lookedUp, memberKey, parsePayload, recordOf } from './record.ts'

interface Row extends RowDataPacket {
  payload: string
  consumedAt: number | null
  note: string | null
  ended: string | null
  statusIndex: number | null
}

type Value = string | number | null

// Keys are of ASCII and compare byte by byte: `keyOf` sees to that. Times are milliseconds since the
// epoch, which no time zone changes.
export const table = `
  CREATE TABLE oidc_records (
    model VARCHAR(50) NOT NULL,
    id VARCHAR(250) NOT NULL,
    payload MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL,
    grantId VARCHAR(250),
    userCode VARCHAR(250),
    uid VARCHAR(250),
    expiresAt BIGINT NOT NULL,
    consumedAt BIGINT,
    accountId VARCHAR(250),
    clientId VARCHAR(250),
    actor VARCHAR(250),
    iat BIGINT,
    statusList VARCHAR(250),
    statusIndex BIGINT,
    note MEDIUMTEXT CHARACTER SET utf8mb4,
    noteActor VARCHAR(250),
    ended MEDIUMTEXT CHARACTER SET utf8mb4,
    endedIndex BIGINT AS (IF(ended IS NULL, NULL, statusIndex)) STORED,
    PRIMARY KEY (model, id),
    INDEX (model, grantId),
    INDEX (model, userCode),
    INDEX (model, uid),
    INDEX (expiresAt),
    INDEX (model, iat, id),
    INDEX (model, accountId, iat, id),
    INDEX (model, actor, iat, id),
    INDEX (model, clientId, iat, id),
    INDEX (model, statusList, endedIndex)
  ) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin`

const IS_LIVE = 'expiresAt > ?'
const NO_EXPIRY = Number.MAX_SAFE_INTEGER
const ANSWER_TIMEOUT_MS = 5000
const MAX_ATTEMPTS = 5

const kept = (column: string) => `IF(oidc_records.${IS_LIVE}, oidc_records.${column}, NULL)`
/**
 * Assignments by which an upsert keeps the consumption, the note and the end of a live record.
 * Each has one parameter, the time. `VALUES()` is the one form that both databases have.
 */
const KEPT_ASSIGNMENTS = [
  `consumedAt = COALESCE(${kept('consumedAt')}, VALUES(consumedAt))`,
  `actor = COALESCE(${kept('noteActor')}, VALUES(actor))`,
  `noteActor = ${kept('noteActor')}`,
  `note = ${kept('note')}`,
  `ended = ${kept('ended')}`,
]

export class MysqlAdapter implements EndingAdapter {
  readonly #pool: Pool
  readonly #model: string

  constructor(model: string, pool: Pool) {
    this.#pool = pool
    this.#model = model
  }

  consumeOnce(id: string, note?: ConsumptionNote) {
    const actor = memberKey(note?.actor)
    const set = 'consumedAt = ?, note = ?, noteActor = ?, actor = COALESCE(?, actor)'
    const values = [Date.now(), note ? JSON.stringify(note) : null, actor, actor]
    return this.#updateOnce(id, set, 'consumedAt IS NULL AND ended IS NULL', values)
  }

  endOnce(id: string, end: EndNote) {
    return this.#updateOnce(id, 'ended = ?', 'ended IS NULL', [JSON.stringify(end)])
  }

  // One statement: of several at once, the later ones see what the first has written.
  async #updateOnce(id: string, set: string, condition: string, values: Value[]) {
    const { affectedRows } = await this.#run<ResultSetHeader>(
      `UPDATE oidc_records SET ${set} WHERE model = ? AND id = ? AND ${IS_LIVE} AND ${condition}`,
      [...values, this.#model, keyOf(id), Date.now()],
    )
    return affectedRows === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const conditions = ['model = ?', 'iat IS NOT NULL', IS_LIVE] // what is not listed has none
    const values: Value[] = [this.#model, Date.now()]
    for (const [name, key] of Object.entries(lookedUp(lookUp))) {
      conditions.push(`${name} = ?`)
      values.push(key)
    }
    if (before) {
      conditions.push('iat <= ? AND (iat < ? OR id < ?)')
      values.push(before.iat, before.iat, keyOf(before.id))
    }
    const rows = await this.#run<Row[]>(
      `SELECT * FROM oidc_records WHERE ${conditions.join(' AND ')}
      ORDER BY iat DESC, id DESC LIMIT ?`,
      [...values, String(limit)], // MySQL takes no number here: mysql2 would send a DOUBLE
    )
    return rows.map(found)
  }

  async endedIndices(list: string) {
    const rows = await this.#run<Row[]>(
      `SELECT DISTINCT endedIndex AS statusIndex FROM oidc_records
      WHERE model = ? AND statusList = ? AND endedIndex IS NOT NULL AND ${IS_LIVE}`,
      [this.#model, keyOf(list), Date.now()],
    )
    return rows.map(({ statusIndex }) => Number(statusIndex))
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const { consumedAt, expiresAt, ...members } = recordOf(this.#model, payload, expiresIn)
    const record = {
      model: this.#model,
      id: keyOf(id),
      consumedAt: consumedAt?.getTime() ?? null,
      payload: JSON.stringify(payload),
      ...members,
      expiresAt: expiresAt?.getTime() ?? NO_EXPIRY,
    }
    const columns = Object.keys(record)
    // Assignments run from left to right. What is kept depends on the expiry, so that comes last.
    const replaced = columns
      .filter((name) => !['model', 'id', 'consumedAt', 'actor'].includes(name))
      .map((name) => `${name} = VALUES(${name})`)
    await this.#run(
      `INSERT INTO oidc_records (${columns}) VALUES (${columns.map(() => '?')})
      ON DUPLICATE KEY UPDATE ${[...KEPT_ASSIGNMENTS, ...replaced]}`,
      [...Object.values(record), ...KEPT_ASSIGNMENTS.map(() => Date.now())],
    )
  }

  async consume(id: string) {
    await this.#updateOnce(id, 'consumedAt = ?', 'TRUE', [Date.now()])
  }

  find(id: string) {
    return this.#find('id', id)
  }

  findByUid(uid: string) {
    return this.#find('uid', uid)
  }

  findByUserCode(userCode: string) {
    return this.#find('userCode', userCode)
  }

  // Of a session that moved to another id, the record that lives longest is the latest.
  async #find(column: string, key: string) {
    const [row] = await this.#run<Row[]>(
      `SELECT * FROM oidc_records WHERE model = ? AND ${column} = ? AND ${IS_LIVE}
      ORDER BY expiresAt DESC LIMIT 1`,
      [this.#model, keyOf(key), Date.now()],
    )
    return row && found(row)
  }

  async destroy(id: string) {
    await this.#delete('id', id)
  }

  async revokeByGrantId(grantId: string) {
    await this.#delete('grantId', grantId)
  }

  async #delete(column: string, key: string) {
    const where = `model = ? AND ${column} = ?`
    await this.#run(`DELETE FROM oidc_records WHERE ${where}`, [this.#model, keyOf(key)])
  }

  // InnoDB ends a deadlock: it takes one statement back as a whole, which may run again.
  async #run<T extends QueryResult>(sql: string, values: Value[]): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [result] = await inTime(this.#pool.execute<T>(sql, values))
        return result
      } catch (error) {
        const isDeadlock = Object(error).code === 'ER_LOCK_DEADLOCK'
        if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }
}

// The time-out of mysql2 does not count the wait for a connection.
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, ANSWER_TIMEOUT_MS, new Error('the database did not answer'))
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function found({ payload, consumedAt, note, ended }: Row): AdapterPayload {
  const consumed = consumedAt === null ? null : new Date(Number(consumedAt))
  return parsePayload(JSON.parse(payload), { consumedAt: consumed, note, ended })
}
