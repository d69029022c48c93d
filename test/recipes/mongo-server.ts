import { createServer, type Socket } from 'node:net'
import { Aggregator, Query, update } from 'mingo'
import { BSON } from 'mongodb'

// A stand-in for MongoDB: the protocol of its driver, in front of mingo, which knows its language
// of queries and updates. A command runs in one turn, so that a document changes atomically.

type Document = Record<string, unknown>

interface Update {
  q: Document
  u: Document | Document[]
  upsert?: boolean
}

interface Command extends Document {
  find?: string
  update?: string
  delete?: string
  createIndexes?: string
  listIndexes?: string
  indexes?: Document[]
  filter?: Document
  sort?: Record<string, 1 | -1>
  limit?: number
  projection?: Document
  updates?: Update[]
  deletes?: { q: Document; limit: number }[]
}

const OP_MSG = 2013
const SEQUENCE = 1
const collections = new Map<string, Document[]>()
const indexes = new Map<string, Document[]>()

/** Starts it on a free port, and resolves that and how to end it. Its records live as it does. */
export async function startMongoServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const length = received.readInt32LE(0)
        socket.write(answer(received.subarray(0, length)))
        received = received.subarray(length)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      collections.clear()
    },
  }
}

function answer(message: Buffer): Buffer {
  const body = BSON.serialize({ ok: 1, ...run(readCommand(message)) })
  const header = Buffer.alloc(21)
  header.writeInt32LE(header.length + body.length, 0)
  header.writeInt32LE(message.readInt32LE(4), 8)
  header.writeInt32LE(OP_MSG, 12)
  return Buffer.concat([header, body])
}

/** One document, and lists of documents that stand beside it under a name. */
function readCommand(message: Buffer): Command {
  if (message.readInt32LE(12) !== OP_MSG) throw new Error('the client has to set serverApi')
  const command: Command = {}
  for (let at = 20; at < message.length; ) {
    const kind = message.readUInt8(at)
    const end = at + 1 + message.readInt32LE(at + 1)
    if (kind !== SEQUENCE) {
      Object.assign(command, BSON.deserialize(message.subarray(at + 1, end)))
    } else {
      const nameEnd = message.indexOf(0, at + 5)
      const documents: Document[] = []
      for (let from = nameEnd + 1; from < end; from += message.readInt32LE(from)) {
        const size = message.readInt32LE(from)
        documents.push(BSON.deserialize(message.subarray(from, from + size)))
      }
      command[message.toString('utf8', at + 5, nameEnd)] = documents
    }
    at = end
  }
  return command
}

function run(command: Command): Document {
  if ('hello' in command) return hello
  if (command.find) return cursor(findIn(collection(command.find), command))
  if (command.update) return total(command.updates?.map((each) => apply(command.update, each)))
  if (command.delete) {
    return total(command.deletes?.map(({ q, limit }) => remove(command.delete, q, limit)))
  }
  if (command.createIndexes) indexes.set(command.createIndexes, command.indexes ?? [])
  if (command.listIndexes) return cursor(indexes.get(command.listIndexes) ?? [])
  return 'createIndexes' in command || 'endSessions' in command || 'ping' in command
    ? {}
    : { ok: 0, errmsg: `no such command: ${Object.keys(command)[0]}`, code: 59 }
}

function findIn(documents: Document[], { filter = {}, sort, limit, projection }: Command) {
  const found = new Query(filter).find<Document>(documents, projection ?? {})
  if (sort) found.sort(sort)
  if (limit) found.limit(limit)
  return found.all()
}

function cursor(firstBatch: Document[]): Document {
  return { cursor: { id: BSON.Long.ZERO, ns: 'test.records', firstBatch } }
}

const hello = {
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 25,
}

function apply(name = '', { q, u, upsert }: Update): Document {
  const documents = collection(name)
  const query = new Query(q)
  const index = documents.findIndex((document) => query.test(document))
  if (index < 0 && !upsert) return { n: 0, nModified: 0 }
  const before = documents[index] ?? { _id: q._id }
  const copy = BSON.deserialize(BSON.serialize(before))
  const [changed] = Array.isArray(u) ? new Aggregator(u, {}).run<Document>([copy]) : [copy]
  if (!changed) throw new Error('a pipeline that gives nothing')
  if (!Array.isArray(u)) update(changed, u)
  if (index >= 0) {
    documents[index] = changed
    return { n: 1, nModified: 1 }
  }
  documents.push(changed)
  return { n: 1, nModified: 0, upserted: [{ index: 0, _id: changed._id }] }
}

function remove(name = '', q: Document, limit: number): Document {
  const query = new Query(q)
  const documents = collection(name)
  const found = documents.filter((document) => query.test(document))
  const removed = new Set(limit === 0 ? found : found.slice(0, limit))
  collections.set(
    name,
    documents.filter((document) => !removed.has(document)),
  )
  return { n: removed.size }
}

function total(replies: Document[] = []): Document {
  return replies[0] ?? {}
}

function collection(name: string): Document[] {
  const found = collections.get(name) ?? []
  collections.set(name, found)
  return found
}
