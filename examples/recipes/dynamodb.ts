// The table has the key `modelId`, a TTL on `expiresAt`, the indexes `uidIndex`, `userCodeIndex` and
// `grantIdIndex`, and, with `listedAt` as sort key, `listedIndex`, `accountIdIndex`, `actorIndex` and
// `clientIdIndex`: all with all attributes.
//
// A record lives up to one second longer than it was asked to. An index is a moment behind: a list, and
// an end of all that match, may miss what was issued in this second; an end by id and the status list
// do not. A status list takes some 6000 ends; more reject. Where the AWS SDK retries after a lost
// reply, the caller gets `false`, and no token is issued.
//
// Longer than other files: a recipe is one file, which users copy.
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { keyOf, lookedUp, memberKey, parsePayload, recordOf } from './record.ts'

interface Item {
  modelId: string
  payload: string
  grantId?: string
  userCode?: string
  uid?: string
  expiresAt?: number
  consumed?: number
  /** The partition of all that is listed. */
  listed?: string
  accountId?: string
  actor?: string
  clientId?: string
  /** The place in a list: `iat` and the key, of which the order is that of text. */
  listedAt?: string
  statusList?: string
  note?: string
  noteActor?: string
  ended?: string
}

// `consumed` is a reserved word of DynamoDB: in an expression it is #consumed. The attribute stands
// beside the payload, not in it, so that consume() and consumeOnce() write one and the same.
const names = { '#consumed': 'consumed' }
// The TTL of the table, on expiresAt, deletes up to days late.
const IS_LIVE = '(attribute_not_exists(expiresAt) OR expiresAt > :now)'
const seconds = () => Math.floor(Date.now() / 1000)
/** Longer than any impersonation lasts: the item of a list outlives those in it. */
const SECONDS_OF_TWO_DAYS = 172_800
const MAX_BATCH_KEYS = 100

export class DynamoDbAdapter implements EndingAdapter {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string
  readonly #model: string

  constructor(model: string, client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
    this.#model = model
  }

  consumeOnce(id: string, note?: ConsumptionNote) {
    const actor = memberKey(note?.actor)
    return this.#updateIf(`attribute_not_exists(#consumed) AND attribute_not_exists(ended)`, id, {
      '#consumed': seconds(),
      ...(note && { note: JSON.stringify(note) }),
      ...(actor && { noteActor: actor, actor }),
    })
  }

  async consume(id: string) {
    await this.#updateIf('attribute_exists(modelId)', id, { '#consumed': seconds() })
  }

  async endOnce(id: string, end: EndNote) {
    const item = await this.#get(id)
    // Before the end, and each time that it is asked for: what is in the set need not have ended.
    if (item?.statusList) await this.#addToList(item.statusList, item)
    return this.#updateIf('attribute_not_exists(ended)', id, { ended: JSON.stringify(end) })
  }

  #updateIf(condition: string, id: string, values: Record<string, unknown>) {
    const set = Object.keys(values).map((name, index) => `${name} = :value${index}`)
    const given = Object.values(values).map((value, index) => [`:value${index}`, value])
    const update = new UpdateCommand({
      TableName: this.#table,
      Key: this.#key(id),
      UpdateExpression: `SET ${set.join(', ')}`,
      ConditionExpression: `attribute_exists(modelId) AND ${IS_LIVE} AND ${condition}`,
      ...(`${set}${condition}`.includes('#') && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ':now': seconds(), ...Object.fromEntries(given) },
    })
    return unlessConditionFailed(this.#client.send(update))
  }

  // Keeps the consumption, the note and the end of a live record. They change twice at most.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const stored = await this.#getStored(id)
      const item = { ...this.#item(id, payload, expiresIn), ...fateOf(live(stored)) }
      const unchanged = [
        stored?.consumed === undefined
          ? 'attribute_not_exists(#consumed)'
          : '#consumed = :consumed',
        stored?.ended === undefined ? 'attribute_not_exists(ended)' : 'ended = :ended',
      ]
      const values = {
        ...(stored?.consumed !== undefined && { ':consumed': stored.consumed }),
        ...(stored?.ended !== undefined && { ':ended': stored.ended }),
      }
      const put = new PutCommand({
        TableName: this.#table,
        Item: item,
        ConditionExpression: unchanged.join(' AND '),
        ExpressionAttributeNames: names,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      })
      if (await unlessConditionFailed(this.#client.send(put))) return
    }
    throw new Error('a record changed five times while it was written')
  }

  // The indexes of DynamoDB are a moment behind: a list may miss what was stored in this second.
  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const members = Object.entries({ listed: this.#model, ...lookedUp(lookUp) })
    const [partition] = members.at(-1) ?? []
    const filters = members.slice(0, -1).map(([name]) => `${name} = :${name}`)
    const keys = members.map(([name, key]) => [`:${name}`, key])
    const found: Item[] = []
    for await (const page of this.#pages({
      IndexName: `${partition}Index`,
      KeyConditionExpression: `${partition} = :${partition}${before ? ' AND listedAt < :before' : ''}`,
      FilterExpression: [IS_LIVE, ...filters].join(' AND '),
      ExpressionAttributeValues: {
        ':now': seconds(),
        ...Object.fromEntries(keys),
        ...(before && { ':before': positionOf(before.iat, before.id) }),
      },
      ScanIndexForward: false,
      Limit: limit,
    })) {
      found.push(...page)
      if (found.length >= limit) break
    }
    return found.slice(0, limit).map(payloadIn)
  }

  // By the keys of the records, and not by an index: this has to see every end.
  async endedIndices(list: string) {
    const { Item: item } = await this.#client.send(
      new GetCommand({
        TableName: this.#table,
        Key: this.#listKey(keyOf(list)),
        ConsistentRead: true,
      }),
    )
    const keys = [...(item?.modelIds ?? [])].map((modelId) => ({ modelId }))
    const indices = new Set<number>()
    while (keys.length > 0) {
      const Keys = keys.splice(0, MAX_BATCH_KEYS)
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetCommand({ RequestItems: { [this.#table]: { Keys, ConsistentRead: true } } }),
      )
      for (const found of (Responses?.[this.#table] ?? []).map(live)) {
        const { statusList, statusIndex } = found ? payloadIn(found) : {}
        if (found?.ended && statusList === list) indices.add(Number(statusIndex))
      }
      keys.push(...((UnprocessedKeys?.[this.#table]?.Keys ?? []) as typeof keys))
    }
    return [...indices]
  }

  /** The records of a status list that may have ended, in one item of at most 400 KB: some 6000. */
  async #addToList(list: string, { modelId, expiresAt = seconds() }: Item) {
    await this.#client.send(
      new UpdateCommand({
        TableName: this.#table,
        Key: this.#listKey(list),
        UpdateExpression: 'ADD modelIds :ids SET expiresAt = :expiresAt',
        ExpressionAttributeValues: {
          ':ids': new Set([modelId]),
          ':expiresAt': expiresAt + SECONDS_OF_TWO_DAYS,
        },
      }),
    )
  }

  async #get(id: string) {
    return live(await this.#getStored(id))
  }

  async #getStored(id: string) {
    const get = { TableName: this.#table, Key: this.#key(id), ConsistentRead: true }
    return (await this.#client.send(new GetCommand(get))).Item
  }

  #key(id: string) {
    return { modelId: `${this.#model}-${keyOf(id)}` }
  }

  #listKey(list: string) {
    return { modelId: `${this.#model}#ended-${list}` }
  }

  #item(id: string, payload: AdapterPayload, expiresIn: number | undefined): Item {
    const { iat, consumedAt, expiresAt, ...record } = recordOf(this.#model, payload, expiresIn)
    const { statusIndex: _, ...keys } = record
    const present = Object.entries(keys).filter(([, key]) => key !== null)
    return {
      ...this.#key(id),
      payload: JSON.stringify(payload),
      ...Object.fromEntries(present),
      ...(keys.accountId && { listed: this.#model, listedAt: positionOf(iat ?? 0, id) }),
      ...(expiresAt && { expiresAt: wholeSeconds(expiresAt) }),
      ...(consumedAt && { consumed: Math.floor(consumedAt.getTime() / 1000) }),
    }
  }

  async find(id: string) {
    return found(await this.#get(id))
  }

  async findByUid(uid: string) {
    return found((await this.#query('uid', uid)).map(live).find(Boolean))
  }

  async findByUserCode(userCode: string) {
    return found((await this.#query('userCode', userCode)).map(live).find(Boolean))
  }

  async destroy(id: string) {
    await this.#client.send(new DeleteCommand({ TableName: this.#table, Key: this.#key(id) }))
  }

  async revokeByGrantId(grantId: string) {
    const items = await this.#query('grantId', grantId)
    // An index is behind the table: a record may belong to another grant by now.
    const deletions = items.map(({ modelId }) =>
      unlessConditionFailed(
        this.#client.send(
          new DeleteCommand({
            TableName: this.#table,
            Key: { modelId },
            ConditionExpression: 'grantId = :grantId',
            ExpressionAttributeValues: { ':grantId': keyOf(grantId) },
          }),
        ),
      ),
    )
    await Promise.all(deletions)
  }

  async #query(attribute: 'uid' | 'userCode' | 'grantId', value: string) {
    const items: Item[] = []
    for await (const page of this.#pages({
      IndexName: `${attribute}Index`,
      KeyConditionExpression: `${attribute} = :value`,
      FilterExpression: 'begins_with(modelId, :model)',
      ExpressionAttributeValues: { ':value': keyOf(value), ':model': `${this.#model}-` },
    })) {
      items.push(...page)
    }
    return items
  }

  async *#pages(query: Omit<ConstructorParameters<typeof QueryCommand>[0], 'TableName'>) {
    let ExclusiveStartKey: Record<string, unknown> | undefined
    do {
      const page = await this.#client.send(
        new QueryCommand({ TableName: this.#table, ...query, ExclusiveStartKey }),
      )
      yield (page.Items ?? []).filter(isItem)
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)
  }
}

async function unlessConditionFailed(done: Promise<unknown>) {
  try {
    await done
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}

/** The TTL takes whole seconds: rounded up, unless it is over already. */
function wholeSeconds(date: Date) {
  return date.getTime() > Date.now() ? Math.ceil(date.getTime() / 1000) : 0
}

function positionOf(iat: number, id: string) {
  return `${String(iat).padStart(16, '0')}:${keyOf(id)}`
}

/** Returns the members of a record that an upsert keeps. */
function fateOf(item: Item | undefined): Partial<Item> {
  if (!item) return {}
  const { consumed, note, noteActor, ended } = item
  const fate = { consumed, note, noteActor, actor: noteActor, ended }
  return Object.fromEntries(Object.entries(fate).filter(([, value]) => value !== undefined))
}

function live(item: Record<string, unknown> | Item | undefined): Item | undefined {
  if (!item || !isItem(item)) return undefined
  return item.expiresAt === undefined || item.expiresAt > seconds() ? item : undefined
}

function isItem(item: object): item is Item {
  return 'modelId' in item && 'payload' in item
}

function found(item: Item | undefined): AdapterPayload | undefined {
  return item && payloadIn(item)
}

function payloadIn({ payload, consumed, ...fate }: Item): AdapterPayload {
  const consumedAt = consumed ? new Date(consumed * 1000) : null
  return parsePayload(JSON.parse(payload), { ...fate, consumedAt })
}
