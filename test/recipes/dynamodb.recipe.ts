import { setTimeout as wait } from 'node:timers/promises'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import dynalite from 'dynalite'
import { DynamoDbAdapter } from '../../examples/recipes/dynamodb.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { freePort } from '../adapters/servers.ts'
import { race } from './race.ts'

const TableName = 'oidc'
/** The indexes of lists. */
const LISTED = ['listed', 'accountId', 'actor', 'clientId']

function connect(port: number) {
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  })
  const documents = DynamoDBDocumentClient.from(client)
  return {
    client,
    documents,
    factory: (model: string) => new DynamoDbAdapter(model, documents, TableName),
  }
}

describe('The recipe for DynamoDB, on dynalite (a stand-in)', () => {
  const server = dynalite({ createTableMs: 0 })
  let stores: ReturnType<typeof connect>[] = []

  before(async () => {
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    stores = [connect(port), connect(port)]
    const indexed = ['uid', 'userCode', 'grantId', ...LISTED]
    await stores[0]?.client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['modelId', 'listedAt', ...indexed].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: [{ AttributeName: 'modelId', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: indexed.map((AttributeName) => ({
          IndexName: `${AttributeName}Index`,
          KeySchema: [
            { AttributeName, KeyType: 'HASH' },
            ...(LISTED.includes(AttributeName)
              ? [{ AttributeName: 'listedAt', KeyType: 'RANGE' } as const]
              : []),
          ],
          Projection: { ProjectionType: 'ALL' },
        })),
      }),
    )
  })
  after(async () => {
    for (const { client } of stores) client.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  adapterContract({
    ending: true,
    describe,
    it,
    create: () => (model) => store().factory(model),
    // The TTL counts whole seconds: a record lives up to one more than was asked for.
    advance: (seconds) => wait(seconds * 1000 + 1100),
    async leaveExpired() {
      const { Items = [] } = await store().documents.send(new ScanCommand({ TableName }))
      for (const { modelId } of Items) {
        await store().documents.send(
          new UpdateCommand({
            TableName,
            Key: { modelId },
            UpdateExpression: 'SET expiresAt = :past',
            ExpressionAttributeValues: { ':past': 1_700_000_000 },
          }),
        )
      }
    },
    createBroken: () => connect(1).factory,
  })

  race(() => stores.map(({ factory }) => factory))

  function store() {
    const [first] = stores
    if (!first) throw new Error('not started')
    return first
  }
})
