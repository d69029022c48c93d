import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { at } from '../support/clock.ts'
import { basic, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { signIn } from '../support/sign-in.ts'
import {
  ACTOR_REFUSED,
  expectBearerRefused,
  expectExchanged,
  expectRefused,
  SUBJECT_REFUSED,
} from './attacks.ts'

const sha256 = (value: string) => createHash('sha256').update(value).digest('base64url')

describe('CVE-2026-4282 (Keycloak): one namespace for all records', () => {
  async function oneNamespace() {
    const memory = createMemoryAdapter()('Everything')
    const features = { dPoP: { enabled: true } }
    return {
      memory,
      deployment: await deploy({ configuration: { adapter: () => memory, features } }),
    }
  }

  it('the trace of a DPoP proof, whose id the client chooses, is no subject token', async () => {
    const { memory, deployment } = await oneNamespace()
    const htu = `${deployment.issuer}/token`
    const dpop = await (await dpopKey()).proof({ htu, jti: 'mine' })
    await deployment.exchange({ subject_token: await deployment.subjectToken() }, { dpop })
    expect(await memory.find(sha256('consolemine'))).to.include({ kind: 'ReplayDetection' })
    await expectRefused(deployment, { subject_token: 'consolemine' }, SUBJECT_REFUSED)
    await deployment.close()
  })

  it('the id of a subject token is no code, and is revoked by nobody', async () => {
    const { deployment } = await oneNamespace()
    const subject_token = await deployment.subjectToken()
    const id = sha256(subject_token)
    const { status } = await deployment.post('/oidc/token', {
      grant_type: 'authorization_code',
      client_id: 'console',
      redirect_uri: 'https://app.example.com/callback',
      code: id,
    })
    expect(status).to.equal(400)
    // By the very client that the record names; the value, which is revocable, by another one.
    const revocation = '/oidc/token/revocation'
    await deployment.post(revocation, { token: id }, basic('backend', 'backend-secret'))
    await deployment.post(revocation, { token: subject_token }, basic('web', 'web-secret'))
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })
})

it('CVE-2025-64708 (authentik): expiry is not left to the clean-up of the store', async () => {
  const resource = 'https://id.example/api'
  await using deployment = await deploy({
    impersonation: { managementApi: { resource, tokenFormat: 'opaque' } },
    configuration: {
      adapter: createMemoryAdapter({ now: () => 0 }),
      // Nor does a tolerance for other people's clocks lengthen anything here.
      clockTolerance: 300,
      ttl: { AccessToken: 600, IdToken: 600, Grant: 7200, Interaction: 600, Session: 7200 },
    },
  })
  const token = await deployment.m2mToken({ resource })
  const { body } = await deployment.issue({ userId: 'alice', expiresIn: 60 }, { token })
  const subject_token = body.subjectToken
  const actor_token = (await signIn(deployment, 'olivia')).access_token
  const now = Date.now()
  await at(now + 60_000, () => expectRefused(deployment, { subject_token }, SUBJECT_REFUSED))
  await at(now + 600_000, async () => {
    await expectBearerRefused(deployment, token)
    const bearer = await deployment.m2mToken({ resource })
    const later = await deployment.issue({ userId: 'alice' }, { token: bearer })
    const form = { subject_token: later.body.subjectToken }
    await expectRefused(deployment, { ...form, actor_token }, ACTOR_REFUSED)
    await expectExchanged(deployment, form)
  })
  await expectExchanged(deployment, { subject_token })
})
