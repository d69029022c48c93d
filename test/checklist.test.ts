import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import type { Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import { type ChecklistItem, ImpersonationFeature, Provider } from '../src/index.ts'
import { application, machine } from './support/clients.ts'
import { deploy } from './support/deployment.ts'
import { expectAnswer } from './support/http.ts'

const backend = { ...machine, client_id: 'backend', client_secret: 'a-secret-of-the-backend' }
const shop = { ...application, client_id: 'shop' }
const EVENTS = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
] as const

/** A provider as `npm init` would have it: nothing is set that can be left out. */
function unprepared(): Provider {
  return new Provider('http://localhost:3000', {
    clients: [shop],
    features: {
      clientCredentials: { enabled: true },
      impersonation: {
        enabled: true,
        managementApi: { resource: 'https://id.example.com/api', clients: ['backend'] },
      },
    },
  })
}

async function prepared(): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider('https://id.invalid/oidc', {
    adapter: createMemoryAdapter(),
    clients: [backend, { ...shop, dpop_bound_access_tokens: true }],
    cookies: { keys: ['a-key-of-the-deployment'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: '2026-11', use: 'sig' }] },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
      },
      impersonation: {
        enabled: true,
        actorToken: { required: true, sameClient: true },
        authorize: () => true,
        managementApi: {
          resource: 'https://id.example.com/api',
          clients: ['backend'],
          requireBinding: ['mayAct', 'resource', 'scope', 'expiresIn'],
        },
      },
    },
  })
  for (const name of EVENTS) provider.on(name, () => {})
  provider.on('server_error', () => {})
  return provider
}

const idsOf = (list: readonly ChecklistItem[]) => list.map(({ id }) => id)

describe('the checklist of provider.impersonation.check()', () => {
  let open: readonly ChecklistItem[]

  before(async () => {
    open = await unprepared().impersonation.check()
  })

  it('has each line open where a deployment has set nothing, and says what to do', () => {
    expect(open.length).to.be.greaterThan(10)
    for (const { id, ok, message } of open) {
      // Nothing is stored.
      expect(ok, id).to.equal(id === 'account_ids')
      expect(message, id).to.match(/^[a-z]\w+ .*\w/)
    }
  })

  it('names what is missing: members, clients, a number', () => {
    const todos = open.map(({ message }) => message).join('\n')
    expect(todos).to.match(/requireBinding: mayAct, resource, scope, expiresIn$/m)
    expect(todos).to.match(/a key: backend$/m)
    expect(todos).to.match(/dpop_bound_access_tokens: true for .*: shop$/m)
    expect(todos).to.include('it is 3600')
  })

  it('says the same of clients that were used before', async () => {
    const provider = unprepared()
    await provider.Client.find('shop')
    const list = await provider.impersonation.check()
    expect(list.find(({ id }) => id === 'dpop')).to.deep.include({
      ok: false,
      message: open.find(({ id }) => id === 'dpop')?.message,
    })
  })

  it('has no line open where all is as it should be', async () => {
    const list = await (await prepared()).impersonation.check()
    expect(list.filter(({ ok }) => ok === false)).to.deep.equal([])
    expect(idsOf(list)).to.deep.equal(idsOf(open))
  })

  it('is empty where impersonation is not enabled', async () => {
    expect(await new ImpersonationFeature({ enabled: false }).check()).to.deep.equal([])
  })

  it('stands in docs/production.md, in the same words and order', async () => {
    const page = await readFile(new URL('../docs/production.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([a-z][^|]+?) \| [^|]*\|$/gm)]
    const list = await (await prepared()).impersonation.check()
    expect(rows.map(([, id, text]) => [id, text])).to.deep.equal(
      list.map(({ id, message }) => [id, message.replace(/ \(nothing .*\)$/, '')]),
    )
  })

  describe('account_ids', () => {
    const STORED = new Map(['root', 'alice', 'BOB', 'bob'].map((id) => [id, { id }]))
    const ignoringCase = (sub: string) => STORED.get(sub.toLowerCase())

    /** The line after an impersonation of a user. */
    async function lineAfter(userId: string, findAccount: Configuration['findAccount']) {
      await using deployment = await deploy({ configuration: { findAccount } })
      if (userId) await expectAnswer(deployment.issue({ userId }), 201)
      const list = await deployment.provider.impersonation.check()
      return list.find(({ id }) => id === 'account_ids')
    }
    const account = (accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) })

    const answeringAsked = (_ctx: unknown, sub: string) => ignoringCase(sub) && account(sub)
    const answeringStored = (_ctx: unknown, sub: string) => {
      const stored = ignoringCase(sub)
      return stored && account(stored.id)
    }
    for (const [what, userId, findAccount, ok, message] of [
      [
        'is not ok where a storage without case meets a findAccount that answers what it was asked for',
        'alice',
        answeringAsked,
        false,
        /^(?!.*alice)/i,
      ],
      [
        'is ok where findAccount answers the stored id',
        'alice',
        answeringStored,
        true,
        /^let findAccount answer the id as it is stored$/,
      ],
      [
        'is ok where a storage has both spellings',
        'BOB',
        (_ctx: unknown, sub: string) => (STORED.has(sub) ? account(sub) : undefined),
        true,
        /^let findAccount answer the id as it is stored$/,
      ],
      [
        'is ok, and says so, before anything was impersonated',
        '',
        (_ctx: unknown, sub: string) => account(sub),
        true,
        /nothing could be tried yet/,
      ],
      [
        'is ok, and says so, where no id has letters',
        '4711',
        (_ctx: unknown, sub: string) => account(sub),
        true,
        /nothing could be tried yet/,
      ],
    ] as const) {
      it(what, async () => {
        const line = await lineAfter(userId, findAccount)
        expect(line).to.include({ id: 'account_ids', ok })
        expect(line?.message).to.match(message)
      })
    }
  })
})
