import { expect } from 'chai'
import { renewed } from '../../../../../test/support/shared.ts'
import { storePast } from '../../e2e/support/audit-rows.ts'
import { deploy } from '../../support/deployment.ts'
import { readText } from '../../support/read-text.ts'

describe('the page of the alarms', () => {
  const deployment = renewed(() => deploy())
  const see = async (who: string) => readText((await deployment.browse(who, '')).text)

  it('says in plain words what happened, the newest first, with the note of the customer', async () => {
    const at = Date.now() - 3_600_000
    await storePast(deployment.audit, [
      { at, ticket: 'T-1', end: 'user', objection: 'I never called.\nWho was this?' },
      { at: at + 60_000, ticket: 'T-2', customer: 'bob', refused: ['/email'] },
    ])
    await (await deployment.impersonate({ ticket: 'T-3' })).replay()
    expect(await see('grace')).to.match(
      /A token was used again.*T-3.*did not ask for this.*Olivia Okafor as Alice Ng.*I never called\. Who was this\?.*T-1/,
    )
    expect(await see('grace')).to.not.include('T-2')
    // An auditor cannot acknowledge them, and finds them in the audit.
    expect(await see('ada')).to.not.include('T-3')
    const { rows } = await deployment.read('ada', '/audit?alarm=open')
    expect(rows).to.have.length(2)
  })

  it('lets a lead acknowledge what they saw, with a note, and never what they did themselves', async () => {
    const running = await deployment.impersonate()
    await running.replay()
    await (await deployment.impersonate({ operator: 'grace', customer: 'bob' })).replay()
    const { text } = await deployment.browse('grace', '')
    expect(text.match(/action="[^"]+\/acknowledge"/g)).to.have.length(1)
    const [, alarms = ''] = /name="alarms" value="(\d+)"/.exec(text) ?? []
    await running.replay()
    const path = `/audit/${running.id}`
    const fields = { from: '', note: 'Spoke\nto Olivia.', alarms }
    const { status, headers } = await deployment.send('grace', `${path}/acknowledge`, fields)
    expect([status, headers.get('location')]).to.deep.equal([303, '/console'])
    const { acknowledged } = await deployment.read('ada', path)
    expect(acknowledged).to.include({ alarms: 1, by: 'grace', note: 'Spoke to Olivia.' })
    expect(await see('grace'), 'it came meanwhile').to.include('Olivia Okafor as Alice Ng')
    await deployment.send('grace', `${path}/acknowledge`, { ...fields, alarms: '2' })
    expect(await see('grace')).to.not.include('Acknowledge: ')
  })

  it('has nothing of ordinary work, and no refused act', async () => {
    for (const ticket of ['W-1', 'W-2', 'W-3']) {
      const running = await deployment.impersonate({ ticket })
      await running.look()
      await running.change()
      expect(await running.refused()).to.equal(403)
      await running.end()
      // A tab that is still open.
      await running.look()
    }
    const probing = await deployment.impersonate({ ticket: 'W-4' })
    for (const path of ['/email', '/password', '/phone']) await probing.refused(path)
    expect(await see('grace')).to.include('Nothing waits for you.')
    const { rows } = await deployment.read('grace', '/audit?alarm=any')
    expect(rows.map(({ ticket }: { ticket: string }) => ticket)).to.deep.equal(['W-4'])
  })
})
