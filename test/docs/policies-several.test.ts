import { expect } from 'chai'
import type { AuthorizationRequest, Authorize, Verdict } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { type Snippets, snippetsOf } from './documents.ts'

describe('docs/policies.md: several rules', () => {
  let snippets: Snippets
  let allOf: (...rules: readonly Authorize[]) => Authorize

  before(async () => {
    snippets = await snippetsOf('policies.md')
    allOf = (await snippets.load('Several rules')).allOf as typeof allOf
  })
  after(() => snippets[Symbol.asyncDispose]())

  const asked: string[] = []
  const noting: Authorize = ({ scope }) => {
    asked.push(String(scope))
    return true
  }
  const answering =
    (verdict: Verdict): Authorize =>
    () =>
      verdict
  const reading = answering({ scope: 'orders:read' })
  const never = answering(false)

  async function verdict(scope: string | undefined, ...rules: Authorize[]): Promise<unknown> {
    return allOf(...rules)({ scope, stage: 'issue' } as AuthorizationRequest)
  }

  it('allow what all of them allow, each seeing what the others left', async () => {
    const both = 'orders:read orders:write'
    expect(await verdict(both, noting, reading, noting)).to.deep.equal({ scope: 'orders:read' })
    expect(asked).to.deep.equal([both, 'orders:read'])
    expect(await verdict(undefined, reading)).to.deep.equal({ scope: 'orders:read' })
    expect(await verdict(undefined, noting)).to.equal(true)
    expect(await verdict(both)).to.equal(true)
  })

  it('leave the shortest life of the access token, whichever rule says it', async () => {
    const limits = [{ accessTokenTtl: 60 }, { scope: 'orders:read' }, { accessTokenTtl: 30 }]
    const rules = limits.map(answering)
    const least = { scope: 'orders:read', accessTokenTtl: 30 }
    const both = 'orders:read orders:write'
    expect(await verdict(both, ...rules, noting)).to.deep.equal(least)
    expect(await verdict(both, noting, ...rules.toReversed())).to.deep.equal(least)
    expect(await verdict(both, ...rules.slice(0, 1))).to.deep.equal({ accessTokenTtl: 60 })
  })

  it('do not widen what one before them left', async () => {
    const both = answering({ scope: 'orders:read orders:write' })
    const left = await verdict('orders:read orders:write', reading, both)
    expect(left).to.deep.equal({ scope: 'orders:read' })
    const writing = answering({ scope: 'orders:write' })
    expect(await verdict('orders:read orders:write', reading, writing)).to.equal(false)
  })

  it('refuse what one of them refuses, or leaves nothing of', async () => {
    expect(await verdict('orders:read', noting, never, reading)).to.equal(false)
    expect(await verdict('orders:read', answering({ scope: '' }), reading)).to.equal(false)
  })

  const mistakes = [undefined, 'yes', 1, {}, { scop: 'orders:read' }, { accessTokenTtl: null }]
  for (const wrong of mistakes) {
    it(`fail where one of them answers ${JSON.stringify(wrong)}: nothing is issued`, async () => {
      const mistaken = answering(wrong as Verdict)
      for (const rules of [[mistaken], [mistaken, noting], [noting, mistaken]]) {
        const { issue, close } = await deploy({ impersonation: { authorize: allOf(...rules) } })
        expect((await issue({ userId: 'alice' })).status).to.equal(500)
        await close()
      }
    })
  }

  it('work in a deployment, at both stages', async () => {
    const authorize = allOf(
      (await snippets.load('Read-only by default')).readOnlyByDefault as Authorize,
      ({ account }) => account.accountId !== 'bob',
    )
    const deployment = await deploy({ impersonation: { authorize } })
    expect((await deployment.issue({ userId: 'bob' })).status).to.equal(403)
    const { status, body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      scope: 'orders:read orders:write',
    })
    expect([status, body.scope]).to.deep.equal([200, 'orders:read'])
    await deployment.close()
  })
})
