import { type Grouping, inGroups } from '../grouping.ts'
import { errorOfItsOwn, StorageError } from '../storage-error.ts'
import type { PostgresResult } from './client.ts'
import type { PostgresStatements } from './statements.ts'

type Row = PostgresResult['rows'][number]
type Run = (statement: keyof PostgresStatements, values: unknown[]) => Promise<PostgresResult>

/** The statements that serve many calls at once. */
export interface PostgresGroups {
  find(call: { readonly model: string; readonly id: string }): Promise<Row | undefined>
  /** The values of the statement of that name. */
  upsert(values: readonly unknown[]): Promise<void>
  consumeOnce(call: Consumption): Promise<boolean>
}

interface Consumption {
  readonly model: string
  readonly id: string
  /** As text: a note that is no JSON must fail before it is in a group. */
  readonly note: string | undefined
  readonly actor: string | null
}

/** The model of which writes are grouped. */
const GROUPED_MODEL = 'SubjectToken'
/** Beyond this the cost of a call hardly falls, and a trouble would fail more of them. */
const MAX_GROUP_SIZE = 64
/** The values of `upsert`, without the model. */
const UPSERT_VALUES = 13

/** @param grouped whether calls are grouped; else each is a statement of its own */
export function postgresGroups(run: Run, grouped: boolean): PostgresGroups {
  const how = <Call, Result>(
    grouping: Omit<Grouping<Call, Result>, 'size' | 'tookNoEffect'>,
  ): ((call: Call) => Promise<Result>) =>
    grouped ? inGroups({ ...grouping, size: MAX_GROUP_SIZE, tookNoEffect }) : grouping.alone

  const upsertAlone: PostgresGroups['upsert'] = async (values) => {
    await run('upsert', [...values])
  }
  const consumeAlone: PostgresGroups['consumeOnce'] = async (call) => {
    const { rows } = await run('consumeOnce', [call.model, ...consumption(call)])
    return rows.length === 1
  }

  const upsertGrouped = how<readonly unknown[], void>({
    // one statement cannot write a row twice
    key: ([, id]) => String(id),
    alone: upsertAlone,
    async together(calls) {
      const rows = calls.map(([, ...values]) => values)
      await run('upsertAll', [GROUPED_MODEL, ...columns(rows, UPSERT_VALUES)])
      return () => {}
    },
  })

  const consumeGrouped = how<Consumption, boolean>({
    alone: consumeAlone,
    async together(calls) {
      const first = new Map(calls.toReversed().map((call) => [call.id, call]))
      const asked = [...first.values()].map(consumption)
      const { rows } = await run('consumeOnceAll', [GROUPED_MODEL, ...columns(asked, 3)])
      const won = new Set(rows.map((row) => row.id))
      // the group passes over rows that other transactions hold; a call alone waits for its row
      const outcomes = new Map(
        [...first].map(([id, call]) => [id, won.has(id) || consumeAlone(call)]),
      )
      // of those that ask for one id the first may win, and the others fail where it fails
      return async (call) => {
        try {
          return (await outcomes.get(call.id)) === true && first.get(call.id) === call
        } catch (error) {
          throw errorOfItsOwn(error)
        }
      }
    },
  })

  return {
    find: how({
      async alone({ model, id }) {
        return (await run('find', [model, id])).rows[0]
      },
      async together(calls) {
        const { rows } = await run('findAll', [
          calls.map(({ model }) => model),
          calls.map(({ id }) => id),
        ])
        const found = new Map(rows.map((row) => [calls[Number(row.position) - 1], row]))
        return (call) => found.get(call)
      },
    }),
    upsert: (values) => (values[0] === GROUPED_MODEL ? upsertGrouped : upsertAlone)(values),
    consumeOnce: (call) => (call.model === GROUPED_MODEL ? consumeGrouped : consumeAlone)(call),
  }
}

function consumption({ id, note, actor }: Consumption) {
  return [id, note, actor]
}

/** The rows as one array for each column; `null` for a column that is empty. */
function columns(rows: readonly (readonly unknown[])[], count: number): unknown[] {
  return Array.from({ length: count }, (_, at) => {
    const column = rows.map((row) => row[at] ?? null)
    return column.some((value) => value !== null) ? column : null
  })
}

/**
 * By SQLSTATE: the data (22), a constraint (23), a conflict of transactions (40), a limit (54) or
 * the `lock_timeout` of a row (55P03) was the matter, and the statement was rolled back. It is unknown
 * whether 40003 was. A `statement_timeout` (57014) was rolled back as well, but a server that is
 * too slow for one statement gets no 64 more.
 */
function tookNoEffect(error: unknown): boolean {
  const code = error instanceof StorageError ? error.code : undefined
  return code !== undefined && /^((22|23|40|54)...|55P03)$/.test(code) && code !== '40003'
}
