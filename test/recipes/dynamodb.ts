import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

interface Item {
  modelId: string
  payload: string
  grantId?: string
  userCode?: string
  uid?: string
  expiresAt?: number
  consumed?: number
}

// #region recipe
// `consumed` is a reserved word of DynamoDB: in an expression it is #consumed. The attribute stands
// beside the payload, not in it, so that consume() and consumeOnce() write one and the same.
const names = { '#consumed': 'consumed' }
// The TTL of the table, on expiresAt, deletes up to days late.
const LIVE = '(attribute_not_exists(expiresAt) OR expiresAt > :now)'
const seconds = () => Math.floor(Date.now() / 1000)

export class DynamoDbAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #client: DynamoDBDocumentClient
  readonly #table: string
  readonly #model: string

  constructor(model: string, client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
    this.#model = model
  }

  consumeOnce(id: string) {
    return this.#consumeIf(`attribute_not_exists(#consumed) AND ${LIVE}`, id)
  }

  async consume(id: string) {
    await this.#consumeIf(LIVE, id)
  }

  #consumeIf(condition: string, id: string) {
    const update = new UpdateCommand({
      TableName: this.#table,
      Key: this.#key(id),
      UpdateExpression: 'SET #consumed = :now',
      ConditionExpression: `attribute_exists(modelId) AND ${condition}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':now': seconds() },
    })
    return unlessConditionFailed(this.#client.send(update))
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const item = this.#item(id, payload, expiresIn)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const free = 'attribute_not_exists(#consumed) OR expiresAt <= :value'
      if (await this.#putIf(free, seconds(), item)) return
      // It is live and consumed: what replaces it is so as well, unless it changed by now.
      const { consumed } = (await this.#get(id)) ?? {}
      if (consumed === undefined) continue
      if (await this.#putIf('#consumed = :value', consumed, { ...item, consumed })) return
    }
    throw new Error('a record changed five times while it was written')
  }

  #putIf(condition: string, value: number, item: Item) {
    const put = new PutCommand({
      TableName: this.#table,
      Item: item,
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':value': value },
    })
    return unlessConditionFailed(this.#client.send(put))
  }

  async #get(id: string) {
    const { Item: item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: this.#key(id), ConsistentRead: true }),
    )
    return live(item)
  }
  // #endregion

  #key(id: string) {
    return { modelId: `${this.#model}-${keyOf(id)}` }
  }

  #item(id: string, payload: AdapterPayload, expiresIn: number | undefined): Item {
    const record = recordOf(payload, expiresIn)
    return {
      ...this.#key(id),
      payload: JSON.stringify(payload),
      ...(record.grantId && { grantId: record.grantId }),
      ...(record.userCode && { userCode: record.userCode }),
      ...(record.uid && { uid: record.uid }),
      ...(record.expiresAt && { expiresAt: wholeSeconds(record.expiresAt) }),
      ...(record.consumedAt && { consumed: Math.floor(record.consumedAt.getTime() / 1000) }),
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
    const items: Record<string, unknown>[] = []
    let ExclusiveStartKey: Record<string, unknown> | undefined
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#table,
          IndexName: `${attribute}Index`,
          KeyConditionExpression: `${attribute} = :value`,
          FilterExpression: 'begins_with(modelId, :model)',
          ExpressionAttributeValues: { ':value': keyOf(value), ':model': `${this.#model}-` },
          ExclusiveStartKey,
        }),
      )
      items.push(...(page.Items ?? []))
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)
    return items
  }
}

// #region recipe
async function unlessConditionFailed(done: Promise<unknown>) {
  try {
    await done
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
// #endregion

/** The TTL takes whole seconds: rounded up, unless it is over already. */
function wholeSeconds(date: Date) {
  return date.getTime() > Date.now() ? Math.ceil(date.getTime() / 1000) : 0
}

function live(item: Record<string, unknown> | undefined): Item | undefined {
  if (!item || !isItem(item)) return undefined
  return item.expiresAt === undefined || item.expiresAt > seconds() ? item : undefined
}

function isItem(item: object): item is Item {
  return 'modelId' in item && 'payload' in item
}

function found(item: Item | undefined): AdapterPayload | undefined {
  if (!item) return undefined
  const { payload, consumed } = item
  return payloadOf(JSON.parse(payload), consumed ? new Date(consumed * 1000) : null)
}
