import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { at } from '../support/clock.ts'
import { basic, deploy, idOf, REDIRECT_URI } from '../support/deployment.ts'
import { ACTOR_REFUSED, expectAnswer, REFUSED } from '../support/http.ts'

// A record of another kind is no subject token: ../exchange/subject-token.test.ts.
it('CVE-2026-4282 (Keycloak): in one namespace for all records, the id of a subject token is no code, and is revoked by nobody', async () => {
  const memory = createMemoryAdapter()('Everything')
  await using deployment = await deploy({ adapter: () => memory })
  const subject_token = await deployment.subjectToken()
  const id = idOf(subject_token)
  const form = {
    grant_type: 'authorization_code',
    client_id: 'console',
    redirect_uri: REDIRECT_URI,
  }
  await expectAnswer(deployment.post('/oidc/token', { ...form, code: id }), 400)
  // By the very client that the record names; the value, which is revocable, by another one.
  const revocation = '/oidc/token/revocation'
  await deployment.post(revocation, { token: id }, basic('backend', 'backend-secret'))
  await deployment.post(revocation, { token: subject_token }, basic('web', 'web-secret'))
  await deployment.redeem(subject_token)
})

it('CVE-2025-64708 (authentik): expiry is not left to the clean-up of the store', async () => {
  await using deployment = await deploy({
    impersonation: { managementApi: { tokenFormat: 'opaque' } },
    configuration: {
      adapter: createMemoryAdapter({ now: () => 0 }),
      // Nor does a tolerance for other people's clocks lengthen anything here.
      clockTolerance: 300,
      ttl: { AccessToken: 600, IdToken: 600, Grant: 7200, Interaction: 600, Session: 7200 },
    },
  })
  const token = await deployment.m2mToken()
  const subject_token = await deployment.subjectToken({ expiresIn: 60 })
  const actor_token = await deployment.actorToken()
  const { exchange } = deployment
  const now = Date.now()
  await at(now + 60_000, () => expectAnswer(exchange({ subject_token }), 400, REFUSED))
  await at(now + 600_000, async () => {
    await expectAnswer(deployment.issueBy(token), 401, 'invalid_token')
    const later = await deployment.subjectToken()
    await expectAnswer(exchange({ subject_token: later, actor_token }), 400, ACTOR_REFUSED)
    await expectAnswer(exchange({ subject_token: later }), 200)
  })
  await expectAnswer(exchange({ subject_token }), 200)
})
