import { join } from 'node:path'
import { expect } from 'chai'
import type { Authorize, Provider } from '../../src/index.ts'
import { compile } from '../support/compile.ts'
import { type Managed, managing } from '../support/managing.ts'
import { type Snippets, snippetsOf } from './documents.ts'

describe('docs/production.md', function () {
  this.timeout(60_000)
  let snippets: Snippets
  let deployment: Managed

  before(async () => {
    snippets = await snippetsOf('production.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  afterEach(() => deployment?.close())

  const protectBob: Authorize = ({ account }) => account.accountId !== 'bob'

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('kill-switch.ts: nothing is issued or exchanged while it is off, and all that ran has ended', async () => {
    const { withKillSwitch, endEverything } = await snippets.load('The kill switch')
    let isOff = false
    const wrap = withKillSwitch as (isOff: () => Promise<boolean>, rule: Authorize) => Authorize
    deployment = await managing({
      impersonation: { authorize: wrap(async () => isOff, protectBob) },
    })
    const { token, provider } = deployment
    expect((await deployment.issue({ userId: 'bob' }, { token })).status).to.equal(403)
    const running = await deployment.start()
    expect((await deployment.exchange({ subject_token: running.subjectToken })).status).to.equal(
      200,
    )
    const waiting = await deployment.start()
    isOff = true
    const refused = await deployment.exchange({ subject_token: waiting.subjectToken })
    expect(refused.body.error).to.equal('access_denied')
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(403)
    const end = endEverything as (provider: Provider, clients: string[]) => Promise<number>
    expect(await end(provider, ['backend'])).to.equal(2)
    for (const { id } of [running, waiting]) {
      expect((await provider.impersonation.get(id))?.state).to.equal('ended')
    }
    isOff = false
    expect((await deployment.exchange({ subject_token: waiting.subjectToken })).status).to.equal(
      400,
    )
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
  })
})
