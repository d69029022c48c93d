import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory/index.ts'
import { basic, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import {
  ACTOR_REFUSED,
  expectExchanged,
  expectRefused,
  issued,
  SUBJECT_REFUSED,
  WEB,
} from './attacks.ts'

describe('advisories on Keycloak: targets, oversized tokens, kinds of records', () => {
  describe('CVE-2022-1245 (GHSA-75p6-52g3-rqc8)', () => {
    // There, one could exchange a token for any target client: nobody asked whether one may.
    it('a client as the audience is no target', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment)
      for (const audience of ['web', 'backend', deployment.issuer]) {
        await expectRefused(deployment, { subject_token, audience }, 'invalid_target')
      }
      await expectExchanged(deployment, { subject_token })
      await deployment.close()
    })

    it('the management API is no target', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment)
      const form = { resource: deployment.management, scope: 'impersonate' }
      await expectRefused(deployment, { subject_token, ...form }, 'invalid_target')
      await expectExchanged(deployment, { subject_token })
      await deployment.close()
    })

    it('a client without the grant exchanges nothing', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment)
      await expectRefused(deployment, { subject_token, client_id: 'plain' })
      await expectExchanged(deployment, { subject_token })
      await deployment.close()
    })
  })

  it('CVE-2026-9704: an oversized token is refused, never dropped', async () => {
    // There, a subject token beyond 4,000 characters was dropped, and a token issued all the same.
    const deployment = await deploy()
    const subject_token = await issued(deployment)
    for (const oversized of ['x'.repeat(4_001), `${subject_token}${'x'.repeat(4_001)}`]) {
      await expectRefused(deployment, { subject_token: oversized }, SUBJECT_REFUSED)
      await expectRefused(deployment, { subject_token, actor_token: oversized }, ACTOR_REFUSED)
    }
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })

  describe('CVE-2026-4282', () => {
    // There, all single-use objects lay in one namespace, and one kind passed for another.
    const sha256 = (value: string) => createHash('sha256').update(value).digest('base64url')
    const oneNamespace = async () => {
      const memory = createMemoryAdapter()('Everything')
      const dPoP = { enabled: true }
      const configuration = { adapter: () => memory, features: { dPoP } }
      return { memory, deployment: await deploy({ configuration }) }
    }

    it('a record of another kind is no subject token, whatever it says', async () => {
      const { memory, deployment } = await oneNamespace()
      const record = await memory.find(sha256(await issued(deployment)))
      const planted = async (kind: string) => {
        const jti = sha256(`chosen ${kind}`)
        await memory.upsert(jti, { ...record, jti, kind }, 600)
        return { subject_token: `chosen ${kind}` }
      }
      for (const kind of ['AuthorizationCode', 'AccessToken', 'ReplayDetection', 'Session']) {
        await expectRefused(deployment, await planted(kind), SUBJECT_REFUSED)
      }
      await expectExchanged(deployment, await planted('SubjectToken'))
      await deployment.close()
    })

    it('the trace of a DPoP proof, whose id the client chooses, is no subject token', async () => {
      const { memory, deployment } = await oneNamespace()
      const proof = await (await dpopKey()).proof({
        htu: `${deployment.issuer}/token`,
        jti: 'mine',
      })
      const subject_token = await issued(deployment)
      await deployment.exchange({ subject_token }, { dpop: proof })
      expect(await memory.find(sha256('consolemine'))).to.include({ kind: 'ReplayDetection' })
      await expectRefused(deployment, { subject_token: 'consolemine' }, SUBJECT_REFUSED)
      await deployment.close()
    })

    it('the id of a subject token is no code, and is revoked by nobody', async () => {
      const { deployment } = await oneNamespace()
      const subject_token = await issued(deployment)
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
      await deployment.post(revocation, { token: subject_token }, WEB)
      await expectExchanged(deployment, { subject_token })
      await deployment.close()
    })
  })
})
