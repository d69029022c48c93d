import { setImmediate as turn } from 'node:timers/promises'
import { Aggregator, Query, update } from 'mingo'
import { BSON, type Db } from 'mongodb'

// A stand-in: mingo, which knows MongoDB's language of queries and updates, behind as much of the
// driver as the recipe calls. Each call changes documents in one turn, as the server does.

type Document = Record<string, unknown>

export function memoryMongo(): Db {
  const collections = new Map<string, Document[]>()
  const collection = (name: string) => {
    const documents = collections.get(name) ?? []
    collections.set(name, documents)
    const remove = (filter: Document, most: number) => {
      const query = new Query(filter)
      const found = documents.filter((document) => query.test(document)).slice(0, most)
      for (const document of found) documents.splice(documents.indexOf(document), 1)
    }
    const find = (filter: Document) => {
      const cursor = new Query(filter).find<Document>(documents)
      const found = {
        sort: (by: Record<string, 1 | -1>) => cursor.sort(by) && found,
        limit: (most: number) => cursor.limit(most) && found,
        project: () => found,
        toArray: () => turn().then(() => cursor.all().map(copyOf)),
      }
      return found
    }
    return {
      find,
      findOne: async (filter: Document) => (await find(filter).toArray())[0] ?? null,
      async updateOne(filter: Document, change: Document | Document[], { upsert = false }) {
        await turn()
        const query = new Query(filter)
        const index = documents.findIndex((document) => query.test(document))
        if (index < 0 && !upsert) return { modifiedCount: 0 }
        const before = copyOf(documents[index] ?? { _id: filter._id })
        const changed = Array.isArray(change)
          ? new Aggregator(change, {}).run<Document>([before])[0]
          : before
        if (!Array.isArray(change)) update(before, change)
        documents.splice(index < 0 ? documents.length : index, 1, copyOf(changed ?? {}))
        return { modifiedCount: index < 0 ? 0 : 1 }
      },
      deleteOne: (filter: Document) => turn().then(() => remove(filter, 1)),
      deleteMany: (filter: Document) => turn().then(() => remove(filter, Infinity)),
    }
  }
  return { collection } as unknown as Db
}

/** As BSON holds it. */
function copyOf(document: Document): Document {
  return BSON.deserialize(BSON.serialize(document))
}
