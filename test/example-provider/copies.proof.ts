import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type RequestListener, request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { Client } from 'pg'
import { Application } from '../../example-provider/demo/application.ts'
import { freePort, POSTGRES_URL, suiteOn } from '../adapters/servers.ts'
import { newFolder } from '../support/folder.ts'
import { expectAnswer } from '../support/http.ts'
import { type Answer, launch, listen, OWN_SECRETS, postForm, postJson, send } from './support.ts'

const TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** Hands each request to the next port, on a connection of its own. */
function roundRobin(ports: readonly number[]): RequestListener {
  let turn = 0
  return (incoming, outgoing) => {
    const port = ports[turn % ports.length]
    turn += 1
    const { method, url: path, headers } = incoming
    const onward = request({ port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  }
}

const suite = await suiteOn('PostgreSQL')

suite('three copies of the example', function () {
  this.timeout(120_000)
  const database = `copies_${randomUUID().replaceAll('-', '')}`

  async function administer(sql: string): Promise<void> {
    const client = new Client({ connectionString: POSTGRES_URL })
    await client.connect()
    await client.query(sql)
    await client.end()
  }

  before(() => administer(`CREATE DATABASE ${database}`))
  after(() => administer(`DROP DATABASE ${database} WITH (FORCE)`))

  it('answer every step at whichever is next, and keep what a killed one issued and redeemed', async () => {
    const folder = newFolder()
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    await using stack = new AsyncDisposableStack()
    const front = stack.use(await listen(roundRobin(ports)))
    const JWKS_FILE = join(folder, 'jwks.json')
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    await writeFile(JWKS_FILE, JSON.stringify({ keys: [await exportJWK(privateKey)] }))
    const STORAGE_URL = Object.assign(new URL(POSTGRES_URL), { pathname: `/${database}` }).href
    const copies = await Promise.all(
      ports.map((port) =>
        launch({
          ...OWN_SECRETS,
          ...{ NODE_ENV: 'production', BASE_URL: front.url, SHOP_URL: 'https://shop.example.com' },
          ...{ STORAGE_URL, JWKS_FILE, COOKIE_KEYS: 'a-cookie-key-of-our-own' },
          ...{ PORT: String(port), DATA_DIR: join(folder, String(port)) },
        }),
      ),
    )
    for (const copy of copies) stack.use(copy)

    const signIn = async () =>
      (await Application.discover(front.url)).signIn('olivia', OWN_SECRETS.DEMO_PASSWORD)
    const impersonate = async (operator: string) => {
      const wish = { userId: 'alice', reason: 'r', ticketId: 't' }
      const { status, body } = await postJson(`${front.url}/support/impersonations`, wish, operator)
      expect(status).to.equal(201)
      return String(body.subjectToken)
    }
    const exchange = (subjectToken: string, actor: string, at = front.url): Promise<Answer> =>
      postForm(`${at}/oidc/token`, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'support-tool',
        subject_token: subjectToken,
        subject_token_type: TYPE,
        actor_token: actor,
        actor_token_type: TYPE,
        resource: `${front.url}/orders`,
        scope: 'orders:read',
      })

    for (let round = 0; round < 3; round += 1) {
      const operator = await signIn()
      const { status, body } = await exchange(await impersonate(operator), operator)
      expect(status).to.equal(200)
      for (const port of ports) {
        const headers = { authorization: `Bearer ${body.access_token}` }
        await expectAnswer(send(`http://localhost:${port}/orders`, { headers }), 200)
      }
    }
    const operator = await signIn()
    const [used, unused] = [await impersonate(operator), await impersonate(operator)]
    const [at = '', other = ''] = ports.map((port) => `http://localhost:${port}`)
    await expectAnswer(exchange(used, operator, at), 200)
    copies[0]?.child.kill('SIGKILL')
    await copies[0]?.ended
    await expectAnswer(exchange(used, operator, other), 400)
    await expectAnswer(exchange(unused, operator, other), 200)
  })
})
