import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import Koa from 'koa'
import { createPermits } from 'oidc-provider-impersonation-console'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import { serving } from '../../../../../test/support/serving.ts'
import { renewed } from '../../../../../test/support/shared.ts'
import { takeUses } from '../../../src/features/impersonations/server/uses.ts'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import {
  assertWholeLog,
  decoded,
  idOf,
  interceptCalls,
  many,
  readOn,
} from '../../ledger/stores/contract/support.ts'
import { deploy } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { MACHINE } from '../../support/provider.ts'
import { quietly } from '../../support/quietly.ts'

const OPTIONS = { clients: [MACHINE.clientId] }

/** A use as the guard of an API tells it. */
const useOf = (more: object = {}) => ({
  useId: randomUUID(),
  timeMs: Date.now(),
  id: idOf('a'),
  userId: 'alice',
  actor: { sub: 'olivia' },
  client: 'shop',
  audience: 'https://api.example.com',
  method: 'GET',
  path: '/orders',
  status: 200,
  ...more,
})

const servingUses = (listener: RequestListener, use: (url: string) => Promise<void>) =>
  serving(
    () => listener,
    (base) => use(`${base}/uses`),
  )

describe('support.takeUses()', () => {
  let audit: FaultyAudit
  let token: string
  const deployment = renewed(() => {
    audit = faultyAudit()
    return deploy({ audit, console: { auditTimeout: 0.2 } })
  })
  beforeEach(async () => {
    token = await stored()
  })

  /** A token of a client of the provider, as `client_credentials` stores it. */
  async function stored(more: object = {}, clientId = MACHINE.clientId) {
    const { provider } = deployment
    const client = (await provider.Client.find(clientId)) ?? expect.fail()
    const made = new provider.ClientCredentials({ client, scope: '' })
    return Object.assign(made, more).save()
  }

  const send = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const here = (use: (url: string) => Promise<void>) =>
    servingUses(deployment.console.takeUses(OPTIONS).callback(), use)
  const entries = async () => decoded(await readOn(deployment.audit, undefined, 500))

  it('takes a batch in Koa and in Express, and stores a batch that comes again once', async () => {
    const koa = new Koa()
    koa.use(deployment.console.takeUses(OPTIONS))
    const app = express()
    app.use(deployment.console.takeUses(OPTIONS).callback())
    app.use((_request, response) => void response.status(418).end())
    for (const listener of [koa.callback(), app as RequestListener]) {
      const batch = [useOf(), useOf({ method: 'PUT' })]
      await servingUses(listener, async (url) => {
        for (let times = 0; times < 2; times += 1) {
          const { status, text } = await send(url, batch)
          expect([status, text]).to.deep.equal([204, ''])
        }
        const ids = (await entries()).map((entry) => entry?.use?.useId)
        expect(ids.slice(-2)).to.deep.equal(batch.map(({ useId }) => useId))
        expect((await fetch(`${url}/other`)).status).to.equal(app === listener ? 418 : 404)
      })
    }
    expect(await deployment.audit.row(idOf('a'))).to.include({ reads: 2, changes: 2 })
  })

  it('takes what the sender of docs/your-apis.md sends', async () => {
    const before = { ...process.env }
    try {
      await here(async (url) => {
        process.env.ISSUER = deployment.provider.issuer
        process.env.RECORDER = new URL(url).origin
        process.env.CLIENT_ID = MACHINE.clientId
        process.env.CLIENT_SECRET = MACHINE.clientSecret
        const sender = await import('../../../../../examples/recording-uses/send-uses.ts')
        const use = useOf()
        sender.record(use)
        await sender.flush()
        expect((await entries()).map((entry) => entry?.use?.useId)).to.deep.equal([use.useId])
      })
    } finally {
      process.env = before
    }
  })

  it('answers 204 only once all is stored', async () => {
    audit.failing = ['write']
    await here(async (url) => {
      let isAnswered = false
      const answer = send(url, [useOf()]).finally(() => {
        isAnswered = true
      })
      while (!deployment.log.some((line) => line.includes('takes no entries'))) {
        await new Promise(setImmediate)
      }
      expect(isAnswered).to.equal(false)
      audit.failing = []
      expectStatus(await answer, 204)
      expect(await entries()).to.have.length(1)
    })
  })

  it('I17: sets a malformed use aside, and takes the rest of the batch', async () => {
    const wrong = useOf({ timeMs: Date.now() + 0.5, path: '/\u202eodd' })
    const [first, last] = [useOf(), useOf()]
    await here(async (url) => {
      const batch = [first, wrong, null, 'x', { ...useOf(), userId: 42 }, last]
      for (let times = 0; times < 2; times += 1) {
        expectStatus(await send(url, batch), 204)
      }
    })
    const all = await entries()
    expect(all.map((entry) => entry?.use?.useId ?? entry?.setAside?.why)).to.deep.equal([
      first.useId,
      'use.timeMs must be a whole number of milliseconds since the epoch, between the year 2000 and tomorrow',
      'use must be an object',
      'use must be an object',
      'use.userId must be a text of 1 to 1024 characters',
      last.useId,
    ])
    const [, aside] = all
    expect(aside).to.include({ event: 'audit.set_aside', client: MACHINE.clientId })
    const line = deployment.log.find((each) => each.includes(wrong.useId)) ?? expect.fail()
    expect(aside?.setAside?.digest).to.equal(digestOf(line))
    expect(JSON.parse(line)).to.deep.equal({
      event: 'impersonation.used',
      client: MACHINE.clientId,
      malformed: wrong,
    })
    expect(line).to.match(/^[ -~]+$/)
  })

  it('I17: sets a use aside whose id is that of a permit', async () => {
    const permits = createPermits({ audit, standing: {}, approvers: () => [] })
    permits.attach(deployment.provider)
    await permits.answer('bob', 'ask')
    const [{ permit } = {}] = (await entries()).filter((entry) => entry?.event === 'support.closed')
    const [told, other] = [useOf({ id: permit }), useOf()]
    await here(async (url) => {
      for (let times = 0; times < 2; times += 1) {
        expectStatus(await send(url, [told, other]), 204)
      }
    })
    const [aside, use] = (await entries()).slice(-2)
    expect(aside?.setAside?.why).to.include('a permit has this id')
    expect(use?.use?.useId).to.equal(other.useId)
    await assertWholeLog(audit)
    await permits.close()
  })

  it('I17: counts what a sender tells wrong in the same way, so that it hides nothing', async () => {
    const batch = many(300, (index) => useOf({ timeMs: index }))
    await here(async (url) => {
      expectStatus(await send(url, batch), 204)
    })
    const stored = await readOn(deployment.audit)
    expect(stored.map(({ row }) => row)).to.deep.equal(Array(20).fill(undefined))
  })

  it('I13: records how many uses a sender had to drop', async () => {
    const gap = { useId: randomUUID(), timeMs: Date.now(), dropped: 17 }
    await here(async (url) => {
      expectStatus(await send(url, [gap]), 204)
      expectStatus(await send(url, [gap]), 204, 'again')
    })
    const stored = await readOn(deployment.audit)
    expect(stored).to.have.length(1)
    const [entry] = decoded(stored)
    expect(entry).to.include({ timeMs: gap.timeMs, client: MACHINE.clientId })
    expect(entry?.setAside?.why).to.include('17')
  })

  it('refuses tokens that are not of a sender, alive, for itself, and free of a key', async () => {
    await here(async (url) => {
      const resource = `${deployment.url}/orders`
      const person = await deployment.tokenOf('olivia')
      const { accessToken: acted } = await deployment.impersonate()
      const gone = await stored()
      await (await deployment.provider.ClientCredentials.find(gone))?.destroy()
      const before = (await entries()).length
      const open = (await deployment.provider.Client.find('shop')) ?? expect.fail()
      open.grantTypeAllowed = () => true
      const refused = {
        'of a person': person,
        impersonated: acted,
        forged: 'x'.repeat(43),
        revoked: gone,
        'for another audience': await stored({ aud: resource }),
        'I10: bound to a key': await stored({ jkt: 'a-thumbprint' }),
        'I10: bound to a certificate': await stored({ 'x5t#S256': 'a-thumbprint' }),
        'of a client that does not authenticate': await stored({}, 'shop'),
      }
      for (const [what, value] of Object.entries(refused)) {
        const answer = await send(url, [useOf()], { authorization: `Bearer ${value}` })
        expectStatus(answer, 401, what)
        expect(answer.headers.get('www-authenticate'), what).to.include('error="invalid_token"')
      }
      const none = await send(url, [useOf()], { authorization: '' })
      expect([none.status, none.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer realm="uses"',
      ])
      expect(await entries()).to.have.length(before)
    })
    await servingUses(
      deployment.console.takeUses({ clients: ['orders-api'] }).callback(),
      async (url) => {
        const { status, text } = await send(url, [useOf()])
        expect([status, JSON.parse(text).error], 'another client').to.deep.equal([
          403,
          'access_denied',
        ])
      },
    )
  })

  it('refuses what is no list, too long or too large, and other methods', async () => {
    await here(async (url) => {
      const statusOf = async (...request: [body: unknown, headers?: Record<string, string>]) =>
        (await send(url, ...request)).status
      for (const body of [{ 0: useOf(), length: 1 }, useOf(), '"x"', '{', '']) {
        expect(await statusOf(body), JSON.stringify(body)).to.equal(400)
      }
      expect(await statusOf(many(1001, () => useOf()))).to.equal(413)
      expect(await statusOf([useOf({ path: 'x'.repeat(9_000_000) })])).to.equal(413)
      expect(await statusOf([useOf()], { 'content-type': 'text/plain' })).to.equal(415)
      expect(await statusOf([useOf()], { 'content-encoding': 'gzip' })).to.equal(415)
      const { status, headers } = await fetch(url)
      expect([status, headers.get('allow')]).to.deep.equal([405, 'POST'])
      expect(await entries()).to.deep.equal([])
    })
  })

  it('I5: is 503 where the token cannot be looked up, and where too many entries wait', async () => {
    await here(async (url) => {
      deployment.faults.storage = true
      expectStatus(await send(url, [useOf()]), 503)
      deployment.faults.storage = false
      audit.failing = ['write']
      for (let index = 0; index < 1000; index += 1) {
        void deployment.console.onImpersonatedRequest(useOf())
      }
      const { status, headers } = await send(url, [useOf()])
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5'])
      audit.failing = []
      await deployment.settled()
      expect(await deployment.audit.row(idOf('a'))).to.include({ reads: 1000 })
    })
  })

  it('I13: is 503 where the process ends before the store has it: the sender keeps it', async () => {
    const reached = Promise.withResolvers<void>()
    const hanging = interceptCalls(memoryAudit(), 'write', () => {
      reached.resolve()
      return new Promise(() => {})
    })
    const closing = recorderOn(hanging, { timeoutMs: 20 })
    const parts = { audit: closing, settings: { auditTimeout: 2 } } as never
    const { stderr } = await quietly(() =>
      servingUses(takeUses(deployment.provider, parts, OPTIONS).callback(), async (url) => {
        const answer = send(url, [useOf()])
        await reached.promise
        await closing.close()
        expectStatus(await answer, 503)
      }),
    )
    expect(stderr.join()).to.include('is only in the log')
  })

  it('says which option is wrong', () => {
    for (const [message, options] of [
      ['takeUses must be an object with: clients, path', 'orders-api'],
      ['takeUses.clients is required: the clients that may send uses', {}],
      ['takeUses.clients must be a list', { clients: [] }],
      ['takeUses.clients[1] must be a non-empty string', { clients: ['a', ''] }],
      ['takeUses.path must be a path', { clients: ['a'], path: 'uses' }],
      ['takeUses.senders is not a known option', { clients: ['a'], senders: [] }],
    ] as const) {
      expect(() => deployment.console.takeUses(options as never)).to.throw(TypeError, message)
    }
  })
})
