import { expect } from 'chai'
import { type Answer, CLIENTS, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { askUndescribed, expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'

/** An error of a driver, and one with members that Koa and http-errors read. */
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

/** A deployment whose storage fails at a call with an error, and its calls. */
async function deployFailing(tokenFormat: 'jwt' | 'opaque', trouble: object) {
  const { adapter, faults, calls } = faultyAdapter(trouble)
  const deployment = await deploy({
    adapter,
    impersonation: { managementApi: { tokenFormat } },
  })
  // Clients that live in the storage, so that finding them can fail.
  for (const client of CLIENTS) {
    const client_id = `stored-${client.client_id}`
    await adapter('Client').upsert(client_id, { ...client, client_id })
  }
  const client: [string, string] = ['stored-backend', 'backend-secret']
  const token = await deployment.m2mToken({}, client)
  expect(token.includes('.')).to.equal(tokenFormat === 'jwt')
  const issue = () => deployment.issueBy(token)
  // The first one begins a status list.
  await issue()

  return {
    ...deployment,
    issue,
    subjectToken: async (): Promise<string> => (await issue()).body.subjectToken,
    /** The calls of the storage that a request makes. */
    async callsOf(request: () => Promise<Answer>): Promise<Set<string>> {
      calls.length = 0
      const { status, body } = await request()
      expect(status, JSON.stringify(body)).to.be.within(200, 201)
      return new Set(calls)
    },
    async failAt(call: string, request: () => Promise<Answer>): Promise<Answer> {
      faults.add(call)
      const answer = await request()
      faults.clear()
      return answer
    },
  }
}

function expectTrouble({ status, body }: Answer, call: string): void {
  expect(status, `${call}: ${JSON.stringify(body)}`).to.be.within(500, 599)
  expect(body, call).to.deep.equal({
    error: 'server_error',
    error_description: 'oops! something went wrong',
  })
}

/** The marks of ends, and what is stored of the access token. */
const AFTER_REDEMPTION = ['SubjectToken.list', 'AccessToken.upsert']

describe('I5: each method of the storage rejecting in turn: 5xx, no token, no "not found"', () => {
  for (const [what, trouble] of Object.entries(TROUBLE)) {
    describe(what, () => {
      for (const format of ['jwt', 'opaque'] as const) {
        it(`issue, with a machine-to-machine token that is ${format}`, async () => {
          const failing = await deployFailing(format, trouble)
          const calls = await failing.callsOf(failing.issue)
          expect(calls).to.include('Client.find').and.include('SubjectToken.upsert')
          for (const call of calls) {
            expectTrouble(await failing.failAt(call, failing.issue), call)
            await expectAnswer(failing.issue(), 201)
          }
          await failing.close()
        })
      }

      for (const [format, actor] of [
        ['jwt', 'a DPoP proof and no'],
        ['jwt', 'a JWT as'],
        ['opaque', 'an opaque'],
      ] as const) {
        it(`exchange for a token that is ${format}, with ${actor} actor token`, async () => {
          const failing = await deployFailing('jwt', trouble)
          const { base, issuer, orders } = failing
          const resource = format === 'jwt' ? orders : `${base}/opaque`
          const actorResource = actor === 'a JWT as' ? orders : undefined
          const actor_token = await apiToken(failing, 'olivia', {
            clientId: 'stored-console',
            resource: actorResource,
          })
          const isBound = actor === 'a DPoP proof and no'
          const key = await dpopKey()
          const exchange = async (subject_token: string) =>
            failing.exchange(
              {
                ...{ subject_token, resource },
                ...(isBound ? {} : { actor_token }),
              },
              isBound ? { DPoP: await key.proof({ htu: `${issuer}/token` }) } : {},
            )
          const first = await failing.subjectToken()
          const calls = await failing.callsOf(() => exchange(first))
          expect(calls).to.include('SubjectToken.find').and.include('SubjectToken.consumeOnce')
          expect(calls.has('AccessToken.upsert')).to.equal(format === 'opaque')
          expect(calls.has('AccessToken.find')).to.equal(actor === 'an opaque')
          expect([...calls].some((call) => call.startsWith('ReplayDetection'))).to.equal(isBound)

          for (const call of calls) {
            const token = await failing.subjectToken()
            expectTrouble(await failing.failAt(call, () => exchange(token)), call)
            // I2: the token is usable until it is redeemed, and never after that.
            const later = (await exchange(token)).status
            expect(later, call).to.equal(AFTER_REDEMPTION.includes(call) ? 400 : 200)
            await expectAnswer(exchange(token), 400, undefined, call)
          }
          await failing.close()
        })
      }

      // oidc-provider itself looks for the client that exchanges, and answers with the status that
      // the storage's error asks for.
      it('exchange by a client that cannot be looked up: no token, and the subject token is still good', async () => {
        const failing = await deployFailing('jwt', trouble)
        const subject_token = await failing.subjectToken()
        const exchange = () => failing.exchange({ subject_token, client_id: 'stored-console' })
        const { status, body } = await askUndescribed(() => failing.failAt('Client.find', exchange))
        expect(status).to.be.at.least(400)
        expect(body).to.not.have.property('access_token')
        expect(body).to.not.have.property('error', 'invalid_client')
        await expectAnswer(exchange(), 200)
        await failing.close()
      })
    })
  }
})
