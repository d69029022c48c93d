import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { newFolder } from '../../../../../test/support/folder.ts'
import { renewed, shared } from '../../../../../test/support/shared.ts'
import { deployWithPast, hostilePast, idOf, storePast } from '../../e2e/support/audit-rows.ts'
import { type Answer, type Deployment, deploy, HOSTILE } from '../../support/deployment.ts'
import { expectStatus, idsOf } from '../../support/expect-answer.ts'
import { readText } from '../../support/read-text.ts'
import { runVerify } from '../../verify/command.ts'
import { until } from '../notices/until.ts'

const HOUR = 3_600_000
/** Noon of a day in Berlin. */
const noon = (day: string) => Date.parse(`${day}T12:00:00+01:00`)

/** Opens a page as a person whose browser is in Berlin. */
async function open(
  { browse, tokenOf }: Deployment,
  who: string,
  path: string,
  zone = 'Europe/Berlin',
) {
  const cookie = `support-console=${await tokenOf(who)}; zone=${encodeURIComponent(zone)}`
  return browse(who, path, { cookie, 'accept-language': 'en-GB' })
}

const ticketsIn = ({ text }: Answer) =>
  [...text.matchAll(/<(?:bdi|a) class="ticket[^>]*>([^<]+)/g)].map(([, ticket]) => ticket)

/** Below the path of the console. */
const pathOf = (href = '') => href.replaceAll('&amp;', '&').replace(/^\/console/, '')

/** The path that the link or the button with these words leads to. */
function linkIn({ text }: Answer, words: string) {
  for (const [, href = '', content = ''] of text.matchAll(
    /<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs,
  )) {
    if (readText(content).trim() === words) return pathOf(href)
  }
  return undefined
}

/** The page that the script shows when something has changed. */
const againIn = ({ text }: Answer) => pathOf(/data-again="([^"]*)"/.exec(text)?.[1])

/** The timeline, a line each. */
function linesIn({ text }: Answer) {
  const [, timeline = ''] = /<ol class="timeline">(.*)<\/ol>/s.exec(text) ?? []
  const details = /<details class="on-demand">.*?<\/details>/gs
  return timeline
    .replace(details, '')
    .split('<li ')
    .map((line) => readText(`<li ${line}`).trim())
    .slice(1)
}

describe('the list of the audit', () => {
  const deployment = shared(async () => {
    const evening = noon('2026-02-18') + 11 * HOUR
    const deployed = await deployWithPast([
      { at: noon('2026-02-03'), ticket: 'T-1', customer: 'bob', reads: ['/orders'] },
      { at: noon('2026-02-17'), ticket: 'T-2', operator: 'oscar', end: 'requested' },
      { at: evening, ticket: 'T-3', refused: ['/email'] },
      { at: evening + 1000, ticket: 'T-4', end: 'user', reason: 'Lost <b>', objection: 'Not me' },
    ])
    await deployed.ask('grace', `/audit/${idOf(1)}/hold`, { note: 'Case 7' })
    return deployed
  })
  const look = (who: string, path = '/audit', zone?: string) => open(deployment, who, path, zone)

  it('finds by each member, and has a link that takes the condition away', async () => {
    const FOUND: ReadonlyArray<[query: string, found: string[], condition?: string]> = [
      ['text=LOST', ['T-4']],
      ['operator=oscar', ['T-2'], 'Operator: Oscar Öhman'],
      ['customer=bob', ['T-1'], 'Customer: Bob Marsh'],
      ['operator=nobody', [], 'Operator: nobody'],
      ['ticket=t-3', ['T-3'], 'Ticket: t-3'],
      ['outcome=user', ['T-4'], 'State: Ended by the customer'],
      ['alarm=open', ['T-4'], 'Open alarm'],
      ['alarm=objection', ['T-4'], 'The customer objected'],
      ['alarm=any', ['T-4'], 'With alarm'],
      ['held=true', ['T-2'], 'On hold'],
    ]
    for (const [query, found, condition] of FOUND) {
      const page = await look('ada', `/audit?${query}&when=any`)
      expect(ticketsIn(page), query).to.deep.equal(found)
      expect(readText(page.text)).to.include(
        found.length === 1 ? '1 impersonation is shown' : 'Nothing matches the filter.',
      )
      if (condition) expect(linkIn(page, `${condition}×`), query).to.equal('/audit')
      expect(linkIn(page, 'Clear all')).to.equal('/audit')
    }
    const names = ['text', 'from', 'to', 'operator', 'customer', 'ticket', 'outcome', 'alarm']
    const form = `/audit?when=any&${names.map((name) => `${name}=`).join('&')}`
    expect(ticketsIn(await look('ada', form)), 'the form without a script').to.have.length(4)
    const both = await look('ada', '/audit?operator=olivia&ticket=T-3')
    expect(linkIn(both, 'Ticket: T-3×')).to.equal('/audit?operator=olivia')
  })

  it('finds days of the reader’s calendar; a link from it has the same rows for others', async () => {
    const day = '/audit?when=days&from=2026-02-18&to=2026-02-18'
    const page = await look('ada', day)
    expect(ticketsIn(page)).to.deep.equal(['T-4', 'T-3'])
    expect(page.text).to.match(/<option selected value="days">/)
    expect(page.text.match(/type="date"/g)).to.have.length(2)
    expect(page.text.match(/value="2026-02-18"/g)).to.have.length(2)
    expect(ticketsIn(await look('ada', day, 'Asia/Tokyo'))).to.deep.equal([])
    const link = linkIn(page, 'Export as CSV')?.replace('/export.csv', '') ?? ''
    for (const zone of ['Asia/Tokyo', 'UTC']) {
      expect(ticketsIn(await look('grace', link, zone)), zone).to.deep.equal(['T-4', 'T-3'])
    }
    expect(readText((await look('ada', link)).text), 'no choice has these moments').to.include(
      '18 Feb 2026, 00:00 – 19 Feb 2026, 00:00',
    )
    const month = `${Date.parse('2026-01-31T23:00Z')}-${Date.parse('2026-02-28T23:00Z')}`
    const choice = await look('ada', `/audit?when=${month}&from=2030-01-01`)
    expect(ticketsIn(choice)).to.have.length(4)
    expect(choice.text).to.include(`<option selected value="${month}">February 2026</option>`)
  })

  it('has all rows of the filter in its CSV, and everything for verification', async () => {
    const csv = linkIn(await look('ada', '/audit?operator=olivia'), 'Export as CSV') ?? ''
    const { text, headers } = await look('ada', csv)
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).to.equal('attachment; filename="audit.csv"')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(text.trim().split('\r\n')).to.have.length(4)
    const all = linkIn(await look('grace'), 'Everything, for verification') ?? ''
    expect((await look('grace', all)).text.trim().split('\n').at(-1)).to.include('seals')
  })

  it('shows operators what they did, and who acted as the customer in front of them', async () => {
    const own = await look('olivia')
    expect(readText(own.text)).to.match(/What I did.*3 impersonations in all/)
    for (const part of ['name="operator"', 'name="alarm"', 'name="held"', 'Export', 'export.csv']) {
      expect(own.text, part).to.not.include(part)
    }
    const customers = await look('olivia', '/audit?customer=alice')
    expect(readText(customers.text)).to.include('Who acted as this customer')
    expect(customers.text, 'their own').to.include(`/console/audit/${idOf(3)}`)
    expect(customers.text).to.not.include(`/console/audit/${idOf(1)}`)
  })
})

describe('the pages of a long audit', () => {
  it('have each row once, older ones by a link', async () => {
    const past = Array.from({ length: 260 }, (_, index) => ({
      at: Date.now() - (260 - index) * HOUR,
      ticket: `T-${index + 1}`,
    }))
    await using deployment = await deployWithPast(past)
    const shown: (string | undefined)[] = []
    let path: string | undefined = '/audit?customer=alice'
    for (const count of [50, 200, 10]) {
      const page: Answer = await open(deployment, 'ada', path ?? '')
      expect(readText(page.text)).to.include(`${count} impersonations are shown`)
      shown.push(...ticketsIn(page))
      path = linkIn(page, 'Show older ones')
    }
    expect(path).to.equal(undefined)
    expect(shown).to.deep.equal(past.map(({ ticket }) => ticket).toReversed())
  })

  it('say from which time on a search has looked, and look further back by a link', async () => {
    // Oscar acted as Alice before Olivia did so 5,100 times.
    const past = Array.from({ length: 5102 }, (_, index) => ({
      at: Date.now() - (5102 - index) * 60_000,
      ...(index < 2 ? { operator: 'oscar' } : {}),
    }))
    await using deployment = await deployWithPast(past)
    const page = await open(deployment, 'ada', '/audit?customer=alice&operator=oscar')
    expect(readText(page.text)).to.match(
      /Nothing has matched the filter so far\. Everything since .+ has been searched\./,
    )
    const further = await open(deployment, 'ada', linkIn(page, 'Look further back') ?? '')
    expect(ticketsIn(further)).to.have.length(2)
    expect(linkIn(further, 'Look further back')).to.equal(undefined)
  })
})

describe('the list of the audit, as it is shown again', () => {
  const deployment = renewed(() => deploy())
  const look = (path: string) => open(deployment, 'ada', path)
  const act = (ticket: string) => deployment.impersonate({ ticket })

  it('has the same rows in their place, as they are now, and counts what is newer', async () => {
    const running = await act('T-1')
    const first = await look('/audit?customer=alice')
    expect(readText(first.text)).to.include('Running now')
    for (const ticket of ['NEW-1', 'NEW-2']) await act(ticket)
    await running.end()
    const again = await look(againIn(first))
    expect(ticketsIn(again)).to.deep.equal(['T-1'])
    expect(readText(again.text)).to.match(/2 new impersonations Show.*Ended by the operator/)
    expect(againIn(again), 'it stays there').to.equal(againIn(first))
    const shown = await look(linkIn(again, 'Show') ?? '')
    expect(ticketsIn(shown)).to.deep.equal(['NEW-2', 'NEW-1', 'T-1'])
    expect(readText(shown.text)).to.not.include('new impersonation')
  })

  it('tells rows of one millisecond apart by their ids', async () => {
    const at = Date.now() - HOUR
    await storePast(deployment.audit, [{ at }, { at }])
    const [newer, older] = (await deployment.read('ada', '/audit')).rows
    const body = await deployment.read('ada', `/audit?first=${older.at}.${older.id}`)
    expect(idsOf(body.rows)).to.deep.equal([older.id])
    expect([newer.at, body.newer.count]).to.deep.equal([older.at, 1])
  })

  it('begins empty, and announces the first one', async () => {
    const empty = await look('/audit')
    expect(readText(empty.text)).to.include('There is nothing in the audit yet.')
    await act('T-1')
    const again = await look(againIn(empty))
    expect(ticketsIn(again)).to.deep.equal([])
    expect(readText(again.text)).to.include('1 new impersonation Show')
  })
})

describe('the page of an impersonation', () => {
  const deployment = shared(() => {
    const at = noon('2026-02-17')
    return deployWithPast([
      {
        at,
        ticket: 'T-1',
        operator: 'oscar',
        reason: 'Order 7 is lost',
        end: 'requested',
        reads: ['/orders', '/orders', '/orders/7'],
        changes: ['/orders/7/note'],
        refused: ['/email'],
      },
      { at: at + HOUR, ticket: 'T-2', objection: 'Who was\nthis?' },
      {
        at: at + 2 * HOUR,
        reads: [...Array(30).fill('/orders'), ...Array(260).keys()].map(String),
      },
    ])
  })
  const look = (who: string, path: string) => open(deployment, who, path)

  it('says who did what as whom, when and why', async () => {
    const page = await look('ada', `/audit/${idOf(0)}`)
    expect(page.text).to.include('<title>\u2068Oscar Öhman\u2069 as \u2068Alice Ng\u2069')
    const read = readText(page.text)
    expect(read).to.include('3 reads, 1 change, 1 refused, 0 failed')
    expect(read).to.include('Tuesday, 17 February 2026, times in the zone Europe/Berlin')
    expect(linesIn(page).slice(1)).to.deep.equal([
      '12:00:01 Oscar Öhman asked to act as Alice Ng.',
      '12:00:02 Started in Shop.',
      '12:00:03 GET /orders answered 200 2 times, from 12:00:03 to 12:00:04',
      '12:00:05 GET /orders/7 answered 200',
      '12:00:06 PUT /orders/7/note answered 204',
      '12:00:07 PUT /email refused not while acting',
      '12:00:08 Oscar Öhman, the operator, ended it.',
    ])
    expect(linkIn(page, 'All with T-1')).to.equal('/audit?ticket=T-1')
    expect(linkIn(page, 'All by Oscar Öhman')).to.equal('/audit?operator=oscar')
    expect(linkIn(page, 'All as Alice Ng')).to.equal('/audit?customer=alice')
    const expired = await look('grace', `/audit/${idOf(1)}`)
    expect(linesIn(expired).at(-1)).to.match(/^13:10:00 The time ran out\.$/)
  })

  it('has an address for each entry, and the entry as it is stored', async () => {
    const body = await deployment.read('ada', `/audit/${idOf(0)}`)
    const { text } = await look('ada', `/audit/${idOf(0)}`)
    for (const { number } of body.entries) {
      expect(text).to.include(`id="entry-${number}"`).and.to.include(`href="#entry-${number}"`)
    }
    const [, json = ''] = /<pre[^>]*>(.*?)<\/pre>/s.exec(text.split('id="entry-')[1] ?? '') ?? []
    expect(JSON.parse(json.replaceAll('&quot;', '"'))).to.include({
      event: 'impersonation.issued',
      id: idOf(0),
    })
    expect(readText(text)).to.match(/Number \d+ in the audit\. Digest: [\w-]{43}\./)
  })

  it('has a long timeline in parts, and sums up runs of the same request', async () => {
    const first = await look('ada', `/audit/${idOf(2)}`)
    expect(readText(first.text)).to.include('100 entries, and more')
    expect(linesIn(first).filter((line) => line.includes('30 times, from'))).to.have.length(1)
    const second = await look('ada', linkIn(first, 'Show what came later') ?? '')
    const third = await look('ada', linkIn(second, 'Show what came later') ?? '')
    expect(linesIn(third).at(-2)).to.include('GET 259 answered 200')
    expect(linesIn(third).at(-1)).to.include('The time ran out.')
    expect(linkIn(third, 'Show what came later')).to.equal(undefined)
  })

  it('says to no operator what the customer wrote, and proves nothing to them', async () => {
    for (const who of ['olivia', 'grace', 'ada']) {
      const { text } = await look(who, `/audit/${idOf(1)}`)
      const isOperator = who === 'olivia'
      for (const part of ['Prove this', 'Who was this?']) {
        expect(readText(text).includes(part), `${who}: ${part}`).to.equal(!isOperator)
      }
      expect(text.includes(`/audit/${idOf(1)}/acknowledge`), who).to.equal(who === 'grace')
    }
  })

  it('is put on hold with a note, and released; a form that is refused comes back', async () => {
    const path = `/audit/${idOf(0)}`
    const refused = await deployment.send('ada', `${path}/hold`, { from: path, note: ' ' })
    expectStatus(refused, 400)
    expect(refused.text).to.match(/<details [^>]*class="disclosure" open>.*class="problem"/s)
    const fields = { from: path, note: 'Case 77' }
    const { headers } = await deployment.send('ada', `${path}/hold`, fields)
    expect(headers.get('location')).to.equal(`/console${path}`)
    const held = await look('ada', path)
    expect(readText(held.text)).to.match(/On hold since .*, by Ada Byron “?Case 77/)
    expect(linesIn(held).at(-1)).to.match(/Ada Byron put it on hold\. Case 77$/)
    expect(held.text).to.not.include(`${path}/hold"`)
    await deployment.send('grace', `${path}/release`, { from: path })
    expect(linesIn(await look('ada', path)).at(-1)).to.match(/Grace Lindqvist released it\.$/)
    const again = await deployment.send('grace', `${path}/release`, { from: path })
    expectStatus(again, 409)
    expect(readText(again.text)).to.include('Grace Lindqvist released it.')
  })

  it('is not there for an id that is none', async () => {
    for (const id of [idOf(99), '..%2Frunning', 'x']) {
      const { status, text } = await look('ada', `/audit/${id}`)
      expect(status, id).to.equal(404)
      expect(readText(text)).to.include('There is no such page')
    }
  })
})

describe('the proof of an impersonation', () => {
  it('is a file and a command on its page; the file has no text of another', async () => {
    await using deployment = await deploy()
    await (await deployment.impersonate({ reason: 'Not to be given away' })).end()
    const { id } = await deployment.impersonate({ operator: 'oscar', reason: 'Order 7 is lost' })
    const page = await open(deployment, 'ada', `/audit/${id}`)
    const file = await open(deployment, 'ada', linkIn(page, 'Save the file') ?? '')
    const name = /filename="(.*)"/.exec(file.headers.get('content-disposition') ?? '')?.[1] ?? ''
    const [, command = ''] = /<pre class="command"><code>(.*?)<\/code>/s.exec(page.text) ?? []
    const [npx, verify, ...args] = command.split(' ')
    expect([npx, verify]).to.deep.equal(['npx', 'oidc-provider-impersonation-verify'])
    expect(file.text).to.include('Order 7 is lost').and.not.include('Not to be given away')
    const path = join(newFolder(), name)
    await writeFile(path, file.text)
    const { code, out, err } = await runVerify(...args.map((each) => (each === name ? path : each)))
    expect([err, code]).to.deep.equal(['', 0])
    expect(out).to.include('Oscar Öhman (oscar) asked to act as Alice Ng')
  })
})

describe('texts of others on the pages of the audit', () => {
  it('are texts: in the list, on the page and in its title, in the filter', async () => {
    const html = '<img src=x onerror="document.title=\'owned\'"><script>1</script>'
    const texts = [...Object.values(HOSTILE), html]
    await using deployment = await deployWithPast(hostilePast(texts, `/${html}`))
    const pages = ['/audit', `/audit?${new URLSearchParams({ text: html, ticket: html })}`]
    for (const path of [...pages, ...texts.map((_, index) => `/audit/${idOf(index)}`)]) {
      const { status, text } = await open(deployment, 'ada', path)
      expect(status).to.equal(200)
      expect(text, path).to.not.match(/<img|<script(?! type="module")/)
    }
  })

  it('say what was requested in the words of the deployment, with the request in the details', async () => {
    const describe = ({ path }: { path: string | undefined }, language: string) => {
      if (path === '/throws') throw new Error('no words')
      if (path === '/hidden') return undefined
      return `${language}: <b>${path}</b>`
    }
    const account = { clientId: 'customer-account', describe }
    const reads = ['/orders', '/orders', '/throws', '/hidden']
    const past = { at: Date.now() - HOUR, reads, refused: ['/email'] }
    await using deployment = await deployWithPast([past], { console: { account } })
    for (const person of ['olivia', 'ada']) {
      const page = await open(deployment, person, `/audit/${idOf(0)}`)
      expect(
        linesIn(page)
          .slice(3, 7)
          .map((line) => line.replaceAll(/\d\d:\d\d:\d\d ?/g, '').trim()),
      ).to.deep.equal([
        'en: &lt;b>/orders&lt;/b> 2 times, from to',
        'GET /throws answered 200',
        'GET /hidden answered 200',
        'en: &lt;b>/email&lt;/b> refused not while acting',
      ])
      expect(page.text).to.include('&quot;path&quot;: &quot;/email&quot;')
    }
  })

  it('tell of a notice to the customer in one line', async () => {
    const notices = { send: () => {}, digest: 0 }
    await using deployment = await deploy({ console: { notices } })
    const { id } = await deployment.impersonate()
    const toldOf = async () => (await deployment.audit.row(id))?.deliveries?.customer?.told
    await until(async () => (await toldOf())?.started === 1)
    const page = await open(deployment, 'ada', `/audit/${id}`)
    expect(linesIn(page).at(-1)).to.match(/^[\d:]+ The customer was told\.$/)
    expect(readText(page.text)).to.not.include('The customer is being told.')
  })
})
