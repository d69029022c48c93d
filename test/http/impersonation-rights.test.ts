import { expect } from 'chai'
import { errors } from 'oidc-provider'
import { machine } from '../support/clients.ts'
import { basic } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { resigned } from '../support/jwts.ts'
import { EVERYTHING, managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

const [ISSUE, READ, END] = EVERYTHING.split(' ')

describe('who may see, and who may end', () => {
  const deployment = shared(() =>
    managing({
      impersonation: {
        managementApi: {
          clients: {
            issue: ['backend', 'issuer'],
            read: async ({ clientId }) => ['backend', 'reader'].includes(clientId),
            end: ['backend', 'ender'],
          },
        },
      },
      clients: ['reader', 'ender', 'issuer'].map((client_id) => ({ ...machine, client_id })),
    }),
  )

  const ask = async (client: string, scope?: string) => {
    const form = { grant_type: 'client_credentials', resource: deployment.management, scope }
    const secret = client === 'backend' ? 'backend-secret' : 'secret'
    return (await deployment.post('/oidc/token', form, basic(client, secret))).body
  }

  /** The deeds of a token: see, list, end, end many, issue. */
  async function answers(token: string, { get, send, issue, start } = deployment) {
    const { id } = await start()
    return [
      await get(`/${id}`, { token }),
      await get('', { token }),
      await send(`/${id}/end`, undefined, { token }),
      await send('/end', { userId: 'unknown' }, { token }),
      await issue({ userId: 'alice' }, { token }),
    ]
  }

  // Another right than the token's: 403 where the client is named for it, and 401 where it is not.
  const RIGHTS: ReadonlyArray<
    [client: string, asked: string | undefined, granted: string | undefined, statuses: number[]]
  > = [
    ['backend', EVERYTHING, EVERYTHING, [200, 200, 200, 200, 201]],
    ['backend', READ, READ, [200, 200, 403, 403, 403]],
    ['backend', END, END, [403, 403, 200, 200, 403]],
    ['backend', ISSUE, ISSUE, [403, 403, 403, 403, 201]],
    ['backend', undefined, undefined, [403, 403, 403, 403, 403]],
    ['reader', EVERYTHING, READ, [200, 200, 401, 401, 401]],
    ['ender', EVERYTHING, END, [401, 401, 200, 200, 401]],
    ['issuer', EVERYTHING, ISSUE, [401, 401, 401, 401, 201]],
  ]
  it('reading is not ending, ending is not reading, and neither is issuing: by scope and by name', async () => {
    for (const [client, asked, granted, statuses] of RIGHTS) {
      const { access_token, scope } = await ask(client, asked)
      expect(scope, client).to.equal(granted)
      const got = (await answers(access_token)).map(({ status }) => status)
      expect(got, `${client} ${asked}`).to.deep.equal(statuses)
    }
  })

  it('403 names the scope that is missing, which is one of a set: part of its name does not do', async () => {
    const scope = 'impersonated not-impersonate'
    const token = await resigned(deployment.token, { scope })
    const missing = [READ, READ, END, END, ISSUE]
    for (const [at, answer] of (await answers(token)).entries()) {
      const { headers } = await expectAnswer(answer, 403, 'insufficient_scope')
      const challenge = headers.get('www-authenticate')
      expect(challenge).to.include('error="insufficient_scope"')
      expect(challenge).to.include(`scope="${missing[at]}"`)
    }
  })

  it('401 comes before anything else is looked at', async () => {
    await expectAnswer(deployment.get('?limit=0', { token: 'garbage' }), 401, 'invalid_token')
  })

  it('I9: a function that throws or answers nonsense is a 500 everywhere, and nothing is issued, redeemed, shown or ended', async () => {
    let answer: unknown = true
    const rule = () => {
      if (answer instanceof Error) throw answer
      return answer as boolean
    }
    const clients = { issue: rule, read: rule, end: rule }
    await using own = await managing({ impersonation: { managementApi: { clients } } })
    const { subjectToken: subject_token, id } = await own.start()
    for (answer of [
      new Error('the database of clients is down'),
      new errors.AccessDenied('database'),
      ...[undefined, 1, 'true', {}, Object(true), Promise.resolve('true')],
    ]) {
      const start = async () => ({ id, subjectToken: '' })
      const token = { grant_type: 'client_credentials', resource: own.management, scope: ISSUE }
      const refused = [
        ...(await answers(own.token, { ...own, start })),
        await own.exchange({ subject_token }),
        await own.post('/oidc/token', token, basic('backend', 'backend-secret')),
      ]
      for (const each of refused) {
        const { body } = await expectAnswer(each, 500, 'server_error')
        expect(JSON.stringify(body)).to.not.include('database').and.not.include('alice')
      }
      const reported = own.serverErrors.splice(0).map(String)
      expect(reported).to.have.lengthOf(refused.length)
      const option = 'features.impersonation.managementApi.clients'
      for (const error of reported) expect(error).to.include(option)
    }
    answer = true
    await own.expectState(id, 'issued')
    await own.redeem(subject_token)
  })
})
