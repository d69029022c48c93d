import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { slack } from '../../../../../examples/alerts/slack.ts'
import { closed, listening } from '../../../../../test/support/token-issuer.ts'
import { later } from '../../support/clock.ts'
import { deployWithPermits } from '../../support/with-permits.ts'
import { until } from '../notices/until.ts'

/** A receiver of what would go to Slack. */
async function startReceiver() {
  const texts: string[] = []
  const state = { status: 200 }
  const server = createServer(async (request, response) => {
    const body = Object(await json(request))
    if (state.status === 200) texts.push(`${body.text}`)
    response.writeHead(state.status).end('ok')
  })
  const url = `${await listening(server)}/services/T0/B0/x`
  return { texts, state, url, [Symbol.asyncDispose]: () => closed(server) }
}

describe('alarms and approvals in Slack', () => {
  it('are posted with who, what and the page, again after an error, and then once', async () => {
    await using receiver = await startReceiver()
    const { onAlarm, onPermit } = slack(receiver.url)
    await using deployment = await deployWithPermits(
      ({ account }) => (account.accountId === 'bob' ? { needs: ['second_person'] } : true),
      { permits: { onPermit }, console: { onAlarm } },
    )
    receiver.state.status = 500
    const running = await deployment.impersonate({ customer: 'hostile-script' })
    await running.replay()
    const lastOf = async () =>
      (await deployment.audit.row(running.id))?.deliveries?.deployment?.last
    await until(async () => (await lastOf())?.is === 'failed')
    receiver.state.status = 200
    await later(61_000, () => until(() => receiver.texts.length === 1))
    const [text = ''] = receiver.texts
    expect(text).to.match(/^Alarm replayed: Olivia Okafor as &lt;/)
    expect(text.split('\n')[1]).to.equal(`${deployment.url}/console/audit/${running.id}`)

    const id = await deployment.request({ customer: 'bob', ticket: 'SUP-1' })
    await until(() => receiver.texts.length === 2)
    await deployment.permits.decide(id, 'granted', { by: 'grace' })
    await until(() => receiver.texts.length === 3)
    expect(receiver.texts.slice(1)).to.deep.equal(
      ['requested', 'granted'].map(
        (change) =>
          `Approval ${change}: Olivia Okafor as Bob Marsh, SUP-1\n${deployment.url}/console/records/${id}`,
      ),
    )
    await later(3_600_000, () => deployment.settled())
    expect(receiver.texts, 'once each').to.have.length(3)
  })
})
