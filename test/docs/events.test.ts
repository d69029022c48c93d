import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type CryptoKey, decodeJwt, generateKeyPair, jwtVerify } from 'jose'
import type { ImpersonationEvent, Provider } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

const ROOT = join(import.meta.dirname, '../..')

type Stored = ImpersonationEvent & { readonly name: string }
type StoreEvents = (
  provider: Provider,
  database: DatabaseSync,
) => { historyOf(id: string): Stored[] }

type PushEnds = (
  provider: Provider,
  key: CryptoKey,
  audience: string,
  send: (token: string) => Promise<void>,
) => void

/** The cells of the table under a heading, without its head. */
function rowsOf(document: string, heading: string): string[][] {
  const [, section = ''] = document.split(heading)
  const [table = ''] = /^\|.*?^(?!\|)/ms.exec(section) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/events.md', () => {
  let document: string
  let reference: string
  let source: string
  let snippets: Snippets
  let deployment: Deployment | undefined

  before(async () => {
    document = await readFile(join(ROOT, 'docs/events.md'), 'utf8')
    reference = await readFile(join(ROOT, 'docs/event-reference.md'), 'utf8')
    source = await readFile(join(ROOT, 'src/public/events.ts'), 'utf8')
    snippets = await snippetsOf('events.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  afterEach(async () => {
    await deployment?.close()
    deployment = undefined
  })

  it('names every event, and every member of one', () => {
    const [, shape = ''] = /interface ImpersonationEvent \{(.*?)^\}/ms.exec(source) ?? []
    const members = [...shape.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => `\`${name}\``)
    const named = rowsOf(reference, '## Members of an event').map(([member]) => member)
    expect(members).to.have.length.above(10)
    expect(named).to.have.members(members)
    for (const [, name = ''] of source.matchAll(/^ {2}'([\w.]+)':/gm)) {
      expect(document, name).to.include(`| \`${name}\` |`)
    }
  })

  it('has a line for every entry of the audit', async () => {
    const entries = join(ROOT, 'packages/verify/src/format/events.json')
    const [, table = ''] = reference.split('## Events of the support console')
    const missing = Object.keys(JSON.parse(await readFile(entries, 'utf8'))).filter(
      (name) => !`${document}${table}`.includes(`\`${name}\``),
    )
    expect(missing).to.deep.equal([])
  })

  it('says which event has which member', async () => {
    deployment = await deploy()
    const { provider, issue, exchange, orders } = deployment
    const seen = new Map<string, ImpersonationEvent>()
    const names = ['issued', 'started', 'denied', 'replayed'] as const
    for (const name of names) {
      provider.on(`impersonation.${name}`, (_ctx, event) => seen.set(name, event))
    }
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { body } = await issue({
      userId: 'alice',
      mayAct: { sub: 'olivia' },
      resource: orders,
      scope: 'orders:read',
    })
    const subject_token = body.subjectToken
    await exchange({ subject_token })
    await exchange({ subject_token, actor_token })
    await exchange({ subject_token, actor_token })
    await turn()
    await turn()
    const rows = rowsOf(reference, '## Members of an event')
    for (const [index, name] of names.entries()) {
      const event = seen.get(name) ?? { timeMs: 0 }
      for (const row of rows) {
        const member = row[0]?.replaceAll('`', '') ?? ''
        const said = row[index + 2]
        if (said === 'yes') expect(event, `${name}: ${member}`).to.have.property(member)
        if (said === 'no') expect(event, `${name}: ${member}`).not.to.have.property(member)
      }
    }
  })

  it('stores them as it says: the history of a token, by its id', async () => {
    const storeEvents = (await snippets.load('Storing them')).storeEvents as StoreEvents
    deployment = await deploy()
    using database = new DatabaseSync(':memory:')
    const { historyOf } = storeEvents(deployment.provider, database)
    const issued = await deployment.issue({ userId: 'alice', context: { ticketId: 'SUP-1' } })
    const subject_token = issued.body.subjectToken
    const { body } = await deployment.exchange({ subject_token })
    await deployment.exchange({ subject_token })
    const { createHash } = await import('node:crypto')
    const id = createHash('sha256').update(subject_token).digest('base64url')
    // The end comes after the answer to the replay.
    while (historyOf(id).length < 4) await wait(5)
    const history = historyOf(id)
    expect(history.map(({ name }) => name)).to.deep.equal([
      'impersonation.issued',
      'impersonation.started',
      'impersonation.replayed',
      'impersonation.ended',
    ])
    expect(history[3]?.end?.cause).to.equal('replay')
    const { jti } = decodeJwt(body.access_token)
    expect(history[1]).to.include({ userId: 'alice', client: 'console', jti })
    expect(history[2]?.redemption?.jti).to.equal(jti)
    expect(
      database.prepare('SELECT DISTINCT address FROM impersonation_event').all(),
    ).to.deep.equal(
      ['127.0.0.1', null].map((address) => Object.assign(Object.create(null), { address })),
    )
  })

  it('pushes an end as it says: a signed token that names the access token', async () => {
    const { pushEnds } = await snippets.load('Pushing an end')
    deployment = await deploy()
    const { provider } = deployment
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const pushed = Promise.withResolvers<string>()
    ;(pushEnds as PushEnds)(provider, privateKey, 'https://api.example', async (token) =>
      pushed.resolve(token),
    )
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token })
    await provider.impersonation.endAll({ userId: 'alice' }, { cause: 'policy' })
    const options = {
      issuer: provider.issuer,
      audience: 'https://api.example',
      typ: 'secevent+jwt',
    }
    const { payload } = await jwtVerify(await pushed.promise, publicKey, options)
    const { jti } = decodeJwt(body.access_token)
    expect(payload.sub_id).to.deep.equal({ format: 'jwt_id', iss: provider.issuer, jti })
    const [event] = Object.values(Object(payload.events))
    expect(event).to.deep.include({ reason_admin: { en: 'policy' } })
  })

  it('prints them as it says: one line each', async () => {
    const [heading = ''] = document.split('\n')
    const { logEvents } = await snippets.load(heading)
    deployment = await deploy()
    const lines: string[] = []
    const { log } = console
    console.log = (line: string) => lines.push(line)
    try {
      ;(logEvents as (provider: Provider) => void)(deployment.provider)
      await deployment.issue({ userId: 'nobody' })
      await turn()
      await turn()
    } finally {
      console.log = log
    }
    const events: Stored[] = lines.map((line) => JSON.parse(line))
    expect(events).to.have.lengthOf(1)
    expect(events[0]).to.deep.include({
      event: 'impersonation.denied',
      userId: 'nobody',
      denial: { stage: 'issue', error: 'user_not_found', reason: 'no such user' },
    })
  })
})
