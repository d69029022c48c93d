import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter } from 'oidc-provider'
import { type Answer, CLIENTS, type Deployment, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { askUndescribed } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

/** Errors that drivers throw, and errors with members that Koa and http-errors read. */
const TROUBLE: Record<string, object> = {
  'a plain error': {},
  'an error with statusCode 400 and expose': {
    message: 'invalid_request',
    error: 'invalid_request',
    error_description: 'no such token',
    status: 400,
    statusCode: 400,
    expose: true,
    allow_redirect: true,
  },
}

/** Clients that live in the storage, so that finding them can fail. */
const STORED = CLIENTS.filter(({ client_id }) => ['backend', 'console'].includes(client_id)).map(
  (client) => ({ ...client, client_id: `stored-${client.client_id}` }),
)

const MANAGEMENT = 'https://id.example.com/api'

/** A deployment whose storage fails at the given calls, with the given error. */
async function deployFailing(tokenFormat: 'jwt' | 'opaque') {
  const { adapter, faults, calls } = faultyAdapter()
  let trouble: object = {}
  const failing = (model: string): Adapter =>
    new Proxy(adapter(model), {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          try {
            return await Reflect.apply(member, target, args)
          } catch (error) {
            throw Object.assign(error instanceof Error ? error : new Error(), trouble)
          }
        }
      },
    })
  const deployment = await deploy({
    configuration: { adapter: failing },
    impersonation: { managementApi: { resource: MANAGEMENT, tokenFormat } },
  })
  for (const client of STORED) await failing('Client').upsert(client.client_id, { ...client })
  const m2m = await deployment.m2mToken({ resource: MANAGEMENT }, [
    'stored-backend',
    'backend-secret',
  ])
  expect(m2m.includes('.')).to.equal(tokenFormat === 'jwt')
  // Places in a status list are leased once for many tokens: test/tokens has their failures.
  await deployment.issue({ userId: 'alice' }, { token: m2m })
  await wait(20)

  return {
    ...deployment,
    issueToken: () => deployment.issue({ userId: 'alice' }, { token: m2m }),
    /** Which calls of the storage a request makes. */
    async callsOf(request: () => Promise<Answer>, success: number): Promise<Set<string>> {
      calls.length = 0
      const { status, body } = await request()
      expect(status, JSON.stringify(body)).to.equal(success)
      return new Set(calls)
    },
    async failAt(call: string, how: object, request: () => Promise<Answer>): Promise<Answer> {
      trouble = how
      faults.add(call)
      try {
        return await request()
      } finally {
        faults.clear()
      }
    },
  }
}

type Failing = Awaited<ReturnType<typeof deployFailing>>

function expectTrouble({ status, body }: Answer, call: string): void {
  expect(status, `${call}: ${JSON.stringify(body)}`).to.be.within(500, 599)
  expect(body, call).to.deep.equal({
    error: 'server_error',
    error_description: 'oops! something went wrong',
  })
}

describe('I5: each method of the storage rejecting in turn: 5xx, no token, no "not found"', () => {
  for (const [what, trouble] of Object.entries(TROUBLE)) {
    describe(what, () => {
      for (const format of ['jwt', 'opaque'] as const) {
        it(`issue, with a machine-to-machine token that is ${format}`, async () => {
          const failing = await deployFailing(format)
          const calls = await failing.callsOf(failing.issueToken, 201)
          expect(calls).to.include('Client.find').and.include('SubjectToken.upsert')
          for (const call of calls) {
            expectTrouble(await failing.failAt(call, trouble, failing.issueToken), call)
            expect((await failing.issueToken()).status).to.equal(201)
          }
          await failing.close()
        })
      }

      for (const [format, actor, dpop] of [
        ['jwt', 'no', true],
        ['jwt', 'a JWT', false],
        ['opaque', 'an opaque', false],
      ] as const) {
        it(`exchange for a token that is ${format}, with ${actor} actor token${dpop ? ' and a DPoP proof' : ''}`, () =>
          proveExchange({ format, actor, trouble, dpop }))
      }

      // oidc-provider itself looks for the client that exchanges, and answers with the status that
      // the storage's error asks for.
      it('exchange by a client that cannot be looked up: no token, and the subject token is still good', async () => {
        const failing = await deployFailing('jwt')
        const subject_token = await subjectToken(failing)
        const exchange = () => failing.exchange({ subject_token, client_id: 'stored-console' })
        const { status, body } = await askUndescribed(() =>
          failing.failAt('Client.find', trouble, exchange),
        )
        expect(status).to.be.at.least(400)
        expect(body).to.not.have.property('access_token')
        expect(body).to.not.have.property('error', 'invalid_client')
        expect((await exchange()).status).to.equal(200)
        await failing.close()
      })
    })
  }
})

/** The marks of ends, and what is stored of the access token. */
const AFTER_REDEMPTION = ['SubjectToken.list', 'AccessToken.upsert']

async function proveExchange({
  format,
  actor,
  trouble,
  dpop,
}: {
  format: 'jwt' | 'opaque'
  actor: 'no' | 'an opaque' | 'a JWT'
  trouble: object
  dpop: boolean
}): Promise<void> {
  const failing = await deployFailing('jwt')
  const exchange = await exchanger(failing, { format, actor, dpop })

  const first = await subjectToken(failing)
  const calls = await failing.callsOf(() => exchange(first), 200)
  expect(calls).to.include('SubjectToken.find').and.include('SubjectToken.consumeOnce')
  expect(calls.has('AccessToken.upsert')).to.equal(format === 'opaque')
  expect(calls.has('AccessToken.find')).to.equal(actor === 'an opaque')
  expect([...calls].some((call) => call.startsWith('ReplayDetection.'))).to.equal(dpop)

  for (const call of calls) {
    const token = await subjectToken(failing)
    expectTrouble(await failing.failAt(call, trouble, () => exchange(token)), call)
    // I2: the token is usable until it is redeemed, and never after that.
    const later = (await exchange(token)).status
    expect(later, call).to.equal(AFTER_REDEMPTION.includes(call) ? 400 : 200)
    expect((await exchange(token)).status, call).to.equal(400)
  }
  await failing.close()
}

async function subjectToken(failing: Failing): Promise<string> {
  return (await failing.issueToken()).body.subjectToken
}

/** Exchanges by a client of the configuration, with the token of an operator where there is one. */
async function exchanger(
  failing: Failing,
  { format, actor, dpop }: { format: string; actor: string; dpop: boolean },
): Promise<(subjectToken: string) => Promise<Answer>> {
  const deployment: Deployment = failing
  const resource = format === 'jwt' ? failing.orders : `${failing.base}/opaque`
  const operator =
    actor === 'no'
      ? undefined
      : await signIn(deployment, 'olivia', {
          clientId: 'stored-console',
          scope: 'openid orders:read',
          ...(actor === 'a JWT' ? { resource: failing.orders } : {}),
        })
  const key = dpop ? await dpopKey() : undefined
  return async (subject_token) =>
    failing.exchange(
      {
        subject_token,
        resource,
        ...(operator ? { actor_token: operator.access_token } : {}),
      },
      key ? { DPoP: await key.proof({ htu: `${failing.issuer}/token` }) } : {},
    )
}
