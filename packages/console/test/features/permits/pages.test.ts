import { expect } from 'chai'
import type { Approver } from 'oidc-provider-impersonation-console'
import { renewed } from '../../../../../test/support/shared.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { readText } from '../../support/read-text.ts'
import { storePause } from '../../support/store-pause.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'

describe('the pages of the approvals', () => {
  let approvers: readonly Approver[]
  const deployment = renewed(() => {
    approvers = [{ id: 'grace', name: 'Grace Lindqvist' }]
    return deployWithPermits(RULE, { permits: { approvers: () => approvers } })
  })

  const request = (more: object = {}) => deployment.request({ ticket: 'SUP-1', ...more })
  const html = async (who: string, path = '', headers = {}) =>
    (await deployment.browse(who, path, headers)).text
  const see = async (who: string, path?: string) => readText(await html(who, path))

  const decline = (id: string, note: string) =>
    deployment.permits.decide(id, 'declined', { by: 'grace', note })

  it('have what waits for the reader with the most urgent first, and what the reader asked for', async () => {
    await deployment.emergency({ ticket: 'E-1' })
    await storePause(deployment, { operator: 'oscar', customer: 'carla', by: 'carla' })
    await request({ operator: 'oscar', customer: 'alice', ticket: 'D-1' })
    await request({ operator: 'oscar', customer: 'bob', ticket: 'O-1', scope: 'orders:read' })
    await deployment.granted({ customer: 'carla', ticket: 'G-1', duration: 300 })
    const other = { customer: 'carla', application: 'other', ticket: 'R-1' }
    await decline(await request(other), 'Call them')
    const running = await deployment.impersonate({ ticket: 'G-1', customer: 'carla' })
    await running.replay()

    const page = await html('grace')
    expect(readText(page)).to.match(
      /4 things wait for you.*Olivia Okafor as Alice.*E-1.*oscar as carla.*A token was used again.*Oscar.* as Alice.*D-1.*Who acts now/,
    )
    for (const other of ['O-1', 'R-1']) expect(page).to.not.include(`>${other}<`)
    expect(page).to.match(/<title>\(4\) Inbox/)
    expect(readText(page)).to.match(/Inbox ?4 ?4 things wait for you\. ?Customers ?Audit ?Settings/)
    const auditors = await html('ada')
    expect(auditors).to.include('<title>Who acts now').and.not.include('E-1')
    const own = await html('olivia')
    expect(readText(own)).to.match(/refused your request.*Your requests .*E-1/)
    expect(own).to.not.include('D-1').and.not.include('O-1')
    expect(own, 'as long as was asked').to.include('name="duration" value="300"')
  })

  it('decide a request by one form, once; who comes late reads how it stands, with the note', async () => {
    const id = await request()
    const path = `/records/${id}/granted`
    const fields = { from: '', note: 'Saw the ticket' }
    const { status, headers } = await deployment.send('grace', path, fields)
    expect([status, headers.get('location')]).to.deep.equal([303, '/console'])
    const [said = ''] = headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    const cookie = `support-console=${await deployment.tokenOf('grace')}; ${said}`
    expect(readText(await html('grace', '', { cookie }))).to.include('Approved.')
    const late = await deployment.send('grace', `/records/${id}/declined`, fields)
    expectStatus(late, 409)
    expect(readText(late.text)).to.match(
      /Someone decided this in the meantime\. What came of it .*Nothing waits for you/,
    )
    expect(late.text, 'where it is fetched again').to.include('data-here="/console"')
    expect(readText(await html('grace', `/records/${id}`))).to.match(
      /Grace Lindqvist approved it, .*Saw the ticket/,
    )
  })

  it('bring a refused form back open, with its values', async () => {
    await request()
    const id = await request({ customer: 'carla', ticket: 'SUP-2' })
    const fields = { from: '', note: 'Call\u202e them' }
    const { status, text } = await deployment.send('grace', `/records/${id}/declined`, fields)
    expect(status).to.equal(400)
    expect(text).to.match(
      new RegExp(
        `<details id="/records/${id}/declined-open"[^>]* open.*Call\u202e them.*characters that cannot be stored`,
        's',
      ),
    )
    expect(text.match(/<details[^>]* open/g)).to.have.length(1)
  })

  it('tell the operator on every page what was decided, until they have looked at it or used it', async () => {
    const id = await request()
    const refused = await request({ customer: 'carla', ticket: 'SUP-2' })
    const waiting = await html('olivia', '/customers')
    expect(waiting).to.include(`id="news" data-about="${refused} ${id}"`)
    await deployment.permits.decide(id, 'granted', { by: 'grace' })
    await decline(refused, 'Call them first')
    const token = await deployment.tokenOf('olivia')
    const told = async (cookie = '') => {
      const page = await html('olivia', '/customers', {
        cookie: `support-console=${token}${cookie}`,
      })
      return (
        /<div role="status" id="notices">.*?<main|<div role="status" id="notices">.*<h1>/s.exec(
          page,
        )?.[0] ?? ''
      )
    }
    expect(readText(await told())).to.match(
      /Grace Lindqvist refused your request to act as Carla.*Call them first.*You may act as Alice Ng until .* See the request Act as Alice Ng/,
    )
    const { headers } = await deployment.browse('olivia', `/records/${refused}`)
    const seen = headers.getSetCookie().map((each) => each.split(';')[0])
    expect(readText(await told(`; ${seen.join('; ')}`))).to.not.include('refused your request')
    await deployment.impersonate({ ticket: 'SUP-1' })
    expect(readText(await told(`; ${seen.join('; ')}`))).to.not.include('You may act as')
    expect(await see('olivia', ''), 'once').to.match(
      /^(?:(?!Call them first).)*Call them first(?:(?!Call them first).)*$/,
    )
    expect(await html('grace', '/customers'), 'it is not hers').to.not.include('Call them first')
  })

  it('find in the history by words and by what became of it, and lead on with the filter', async () => {
    await decline(await request(), 'Call them first')
    await deployment.granted({ customer: 'carla', ticket: 'SUP-3' })
    const path = '/records'
    const page = await html('ada', `${path}?state=declined&when=any&text=call`)
    expect(readText(page)).to.match(/SUP-1.*Grace Lindqvist refused it, .*Call them first/)
    expect(readText(page)).to.not.include('SUP-3')
    expect(page)
      .to.include('value="call"')
      .and.match(/<option selected value="declined"/)
    expect(page).to.include(`${path}/export.csv?state=declined&amp;text=call`)
    expect(await see('ada', `${path}?text=nothing`)).to.include('Nothing matches the filter.')
    // An operator exports nothing, and filters by no other operator.
    expect(await html('olivia', path))
      .to.not.include('.csv')
      .and.not.include('name="operator"')
    for (let index = 0; index < 51; index += 1) {
      const id = await request({ customer: 'carla', ticket: `M-${index}`, operator: 'oscar' })
      await deployment.permits.decide(id, 'revoked', { by: 'oscar' })
    }
    const [, older = ''] =
      /href="\/console([^"]+before=[^"]+)"/.exec(await html('ada', `${path}?operator=oscar`)) ?? []
    expect(older).to.include('operator=oscar')
    expect(await see('ada', older.replaceAll('&amp;', '&')))
      .to.include('M-0 ')
      .and.not.include('M-50')
  })

  it('say on the form that there is no person who could decide, and that somebody asked too often', async () => {
    const form = '/act?user=alice&ticket=SUP-1&reason=Help&access=change'
    approvers = []
    const nobody = await html('olivia', form)
    expect(readText(nobody)).to.include('There is no person who could decide now.')
    expect(nobody).to.not.match(/formaction="[^"]+\/(?:permits|emergency)"/)
    approvers = [{ id: 'grace', name: 'Grace Lindqvist' }]
    const fields = { userId: 'alice', ticketId: 'SUP-1', reason: 'Help', application: 'shop' }
    const ask = () =>
      deployment.send('olivia', '/permits', { ...fields, access: 'change', from: form })
    for (let times = 0; times < 60; times += 1) await ask()
    const often = await ask()
    expectStatus(often, 429)
    expect(readText(often.text)).to.include('too many requests')
  })

  it('name who can decide on a request, and nobody of the support where the customer alone decides', async () => {
    const second = await request()
    expect(await see('olivia', `/records/${second}`)).to.include('Grace Lindqvist can decide.')
    const customers = await request({ customer: 'bob', scope: 'orders:read' })
    expect(await see('olivia', `/records/${customers}`))
      .to.include('It needs the approval of the customer.')
      .and.not.include('can decide')
  })

  it('speak German', async () => {
    await request()
    const headers = { 'accept-language': 'de' }
    expect(readText(await html('grace', '', headers))).to.match(
      /Eingang.*Freigeben Ab jetzt darf Olivia Okafor/,
    )
    expect(readText(await html('ada', '/records', headers))).to.include('Anfragen')
  })
})
