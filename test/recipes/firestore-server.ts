import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'

// A stand-in for Firestore: the protocol of its client, and documents in memory. A transaction
// locks what it reads until it ends, as the server libraries of Firestore have it. Of queries it
// knows comparisons for equality, and a descending order of numbers and text with a place to go on from.

interface Document {
  name: string
  fields?: Record<string, Value>
}

interface Write {
  update?: Document
  delete?: string
  updateMask?: { fieldPaths?: string[] }
  currentDocument?: { exists?: boolean }
}

interface Value {
  stringValue?: string
  integerValue?: string | number
}

interface FieldFilter {
  field: { fieldPath: string }
  value: Value
}

interface Query {
  parent: string
  structuredQuery: {
    from: { collectionId: string }[]
    where: { fieldFilter?: FieldFilter; compositeFilter?: { filters: Filter[] } }
    orderBy?: { field: { fieldPath: string } }[]
    startAt?: { values: Value[] }
    limit?: { value: number }
  }
}

interface Filter {
  fieldFilter: FieldFilter
}

interface BatchGet {
  documents?: string[]
  transaction?: Buffer
  newTransaction?: object
}

interface Commit {
  writes?: Write[]
  transaction?: Buffer
}

const documents = new Map<string, Document>()
/** What ends once the last that waits for a document has released it. */
const queues = new Map<string, Promise<void>>()
/** What each transaction holds: the document, and how to release it. */
const held = new Map<string, Map<string, () => void>>()
let version = 0

async function lock(transaction: string, name: string): Promise<void> {
  const locks = held.get(transaction) ?? new Map<string, () => void>()
  held.set(transaction, locks)
  if (locks.has(name)) return
  const before = queues.get(name)
  const { promise, resolve } = Promise.withResolvers<void>()
  queues.set(name, promise)
  locks.set(name, resolve)
  await before
}

function release(transaction: string): void {
  for (const resolve of held.get(transaction)?.values() ?? []) resolve()
  held.delete(transaction)
}

const batchGetDocuments: handleServerStreamingCall<BatchGet, object> = async (call) => {
  const { documents: names = [], newTransaction } = call.request
  const transaction = newTransaction ? randomBytes(8) : call.request.transaction
  if (newTransaction) call.write({ transaction })
  for (const name of names) {
    if (transaction?.length) await lock(transaction.toString('hex'), name)
    const found = documents.get(name)
    call.write({ ...(found ? { found } : { missing: name }), readTime: timestamp() })
  }
  call.end()
}

const commit: handleUnaryCall<Commit, object> = async (call, callback) => {
  const { writes = [], transaction } = call.request
  const holder = transaction?.length ? transaction.toString('hex') : randomBytes(8).toString('hex')
  for (const write of writes) await lock(holder, nameOf(write))
  const refused = writes.find(
    ({ currentDocument, ...write }) =>
      currentDocument?.exists !== undefined &&
      currentDocument.exists !== documents.has(nameOf(write)),
  )
  if (!refused) for (const write of writes) apply(write)
  release(holder)
  if (refused) return callback({ code: status.NOT_FOUND, details: 'no such document' })
  const commitTime = timestamp()
  callback(null, { commitTime, writeResults: writes.map(() => ({ updateTime: commitTime })) })
}

const rollback: handleUnaryCall<{ transaction: Buffer }, object> = (call, callback) => {
  release(call.request.transaction.toString('hex'))
  callback(null, {})
}

const runQuery: handleServerStreamingCall<Query, object> = (call) => {
  const { parent, structuredQuery } = call.request
  const { from, where, orderBy = [], startAt, limit } = structuredQuery
  const filters = where.compositeFilter?.filters ?? [where]
  const placeOf = ({ fields }: Document) =>
    orderBy.map(({ field }) => fields?.[field.fieldPath] ?? {})
  const found = [...documents.values()]
    .filter(({ name }) => name.startsWith(`${parent}/${from[0]?.collectionId}/`))
    .filter(({ fields }) =>
      filters.every(({ fieldFilter: filter }) =>
        isDeepStrictEqual(fields?.[filter?.field.fieldPath ?? ''], filter?.value),
      ),
    )
    .filter((document) => !startAt || descending(placeOf(document), startAt.values) > 0)
    .sort((a, b) => descending(placeOf(a), placeOf(b)))
  for (const document of found.slice(0, limit?.value)) {
    call.write({ document, readTime: timestamp() })
  }
  call.write({ readTime: timestamp() })
  call.end()
}

/** Over 0 where the first comes after the second. */
function descending(first: readonly Value[], second: readonly Value[]): number {
  for (const [index, value] of first.entries()) {
    const other = second[index] ?? {}
    const difference =
      value.stringValue === undefined
        ? Number(other.integerValue) - Number(value.integerValue)
        : Buffer.compare(Buffer.from(other.stringValue ?? ''), Buffer.from(value.stringValue))
    if (difference !== 0) return difference
  }
  return 0
}

function nameOf({ update, delete: deleted }: Write): string {
  return update?.name ?? deleted ?? ''
}

function apply(write: Write): void {
  const name = nameOf(write)
  if (!write.update) {
    documents.delete(name)
    return
  }
  const fields = {
    ...(write.updateMask ? documents.get(name)?.fields : {}),
    ...write.update.fields,
  }
  const times = { createTime: timestamp(), updateTime: timestamp() }
  documents.set(name, { name, fields, ...times })
}

function timestamp() {
  version += 1
  return { seconds: Math.floor(Date.now() / 1000), nanos: version % 1e9 }
}

const refuseCall: handleUnaryCall<object, object> = (_call, callback) => callback(DENIED)
const refuseStream: handleServerStreamingCall<object, object> = (call) => call.emit('error', DENIED)
const DENIED = { code: status.PERMISSION_DENIED, details: 'denied' }

const working = { batchGetDocuments, commit, rollback, runQuery }
const refusing = {
  batchGetDocuments: refuseStream,
  commit: refuseCall,
  rollback: refuseCall,
  runQuery: refuseStream,
}

/** Starts it on a free port, and resolves that and how to end it. Its records live as it does. */
export async function startFirestoreServer({ refuses = false } = {}) {
  const server = new Server()
  server.addService(firestoreService(), refuses ? refusing : working)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return {
    port,
    stop() {
      server.forceShutdown()
      documents.clear()
    },
  }
}

/** The client's own definition of the protocol. */
function firestoreService(): ServiceDefinition {
  const client = createRequire(import.meta.url).resolve('@google-cloud/firestore')
  const protocol = JSON.parse(readFileSync(join(dirname(client), '../protos/v1.json'), 'utf8'))
  const definition = fromJSON(protocol, { oneofs: true })['google.firestore.v1.Firestore']
  if (!definition || 'format' in definition) throw new Error('no such service')
  return definition
}
