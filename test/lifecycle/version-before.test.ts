import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'

describe('a subject token that 0.1.0 issued, whose record has no binding', () => {
  it('can be seen and ended by its id, with its event', async () => {
    const adapter = createMemoryAdapter()
    const deployment = await deploy({ configuration: { adapter } })
    const jti = randomBytes(32).toString('base64url')
    const iat = Math.floor(Date.now() / 1000)
    const record = {
      iat,
      exp: iat + 600,
      jti,
      kind: 'SubjectToken',
      iss: deployment.issuer,
      accountId: 'alice',
      clientId: 'backend',
      context: '{}',
    }
    await adapter('SubjectToken').upsert(jti, record, 600)
    const ended: ImpersonationEvent[] = []
    deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
    const { impersonation } = deployment.provider
    expect(await impersonation.get(jti)).to.include({ id: jti, state: 'issued', userId: 'alice' })
    expect((await impersonation.list()).items).to.have.length(1)
    expect((await impersonation.end(jti))?.state).to.equal('ended')
    await wait(5)
    expect(ended.map(({ id, subject }) => [id, subject])).to.deep.equal([[jti, 'alice']])
    await deployment.close()
  })
})
