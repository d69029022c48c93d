import { setImmediate as turn } from 'node:timers/promises'
import { type DocumentData, type Firestore, Timestamp } from '@google-cloud/firestore'

// A stand-in: documents in memory, behind as much of Firestore's client as the recipe calls. One
// transaction runs after the other, as locks have it.

type Values = readonly (number | string)[]

interface Conditions {
  readonly equal?: readonly [field: string, value: unknown][]
  readonly orderedBy?: readonly string[]
  readonly limit?: number
  readonly after?: Values
}

/** @param refuses whether every call is rejected */
export function memoryFirestore({ refuses = false } = {}): Firestore {
  const documents = new Map<string, DocumentData>()
  let transactions: Promise<unknown> = Promise.resolve()

  async function answer<T>(act: () => T): Promise<T> {
    await turn()
    if (refuses) throw new Error('denied')
    return act()
  }
  function snapshotOf(path: string) {
    const data = documents.get(path)
    return { ref: refTo(path), data: () => data, get: (field: string) => data?.[field] }
  }
  function refTo(path: string) {
    return {
      path,
      get: () => answer(() => snapshotOf(path)),
      delete: () => answer(() => documents.delete(path)),
    }
  }
  function queryOf(collection: string, conditions: Conditions = {}): object {
    const { equal = [], orderedBy = [], limit, after } = conditions
    const having = (more: Conditions) => queryOf(collection, { ...conditions, ...more })
    return {
      where: (field: string, _sign: string, value: unknown) =>
        having({ equal: [...equal, [field, value]] }),
      orderBy: (field: string) => having({ orderedBy: [...orderedBy, field] }),
      limit: (most: number) => having({ limit: most }),
      startAfter: (...values: Values) => having({ after: values }),
      get: () =>
        answer(() => {
          const placeOf = ({ get }: ReturnType<typeof snapshotOf>) => orderedBy.map(get)
          const docs = [...documents.keys()]
            .filter((path) => path.startsWith(`${collection}/`))
            .map(snapshotOf)
            .filter(({ get }) => equal.every(([field, value]) => get(field) === value))
            .filter((one) => !after || descending(placeOf(one), after) > 0)
            .sort((one, other) => descending(placeOf(one), placeOf(other)))
          return { docs: docs.slice(0, limit) }
        }),
    }
  }
  const client = {
    collection: (name: string) => ({
      ...queryOf(name),
      doc: (id: string) => refTo(`${name}/${id}`),
    }),
    runTransaction<T>(run: (transaction: object) => Promise<T>): Promise<T> {
      const writes: (() => void)[] = []
      const write = ({ path }: { path: string }, data: DocumentData, before?: DocumentData) =>
        writes.push(() => documents.set(path, { ...before, ...stored(data) }))
      const transaction = {
        get: (ref: ReturnType<typeof refTo>) => ref.get(),
        set: write,
        update: (ref: ReturnType<typeof refTo>, data: DocumentData) =>
          write(ref, data, documents.get(ref.path)),
      }
      const done = transactions.then(async () => {
        const result = await run(transaction)
        await answer(() => {
          for (const each of writes) each()
        })
        return result
      })
      transactions = done.catch(() => {})
      return done
    },
  }
  return client as unknown as Firestore
}

function stored(data: DocumentData): DocumentData {
  const members = Object.entries(data).map(([name, value]) => [
    name,
    value instanceof Date ? Timestamp.fromDate(value) : value,
  ])
  return Object.fromEntries(members)
}

/** Over 0 if the first comes after the second. */
function descending(first: Values, second: Values): number {
  for (const [index, value] of first.entries()) {
    const other = second[index] ?? 0
    if (value !== other) return value > other ? -1 : 1
  }
  return 0
}
