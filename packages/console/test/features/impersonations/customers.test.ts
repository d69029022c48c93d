import { expect } from 'chai'
import { shared } from '../../../../../test/support/shared.ts'
import { ACT } from '../../support/acting.ts'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { expectRefusal, expectStatus, idsOf } from '../../support/expect-answer.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { readPage } from '../../support/forms.ts'
import { FRENCH } from '../../support/french.ts'

import { readText } from '../../support/read-text.ts'

describe('searching for customers', () => {
  const deployment = shared(() => deploy())

  const search = (query: string) => deployment.ask('olivia', `/customers?${query}`)

  it('finds by name, e-mail address, id and what the directory offers, 25 at a time', async () => {
    for (const q of ['Alice Ng', 'alice@', 'alice', 'Lisbon']) {
      const { body } = await search(new URLSearchParams({ q }).toString())
      expect(idsOf(body.customers)).to.include('alice')
    }
    const { body: first } = await search('q=example')
    expect(first.customers).to.have.length(25)
    expect(first.more).to.equal(true)
    const { body: second } = await search('q=example&offset=25')
    expect(second.customers[0]).to.deep.equal({ ...CUSTOMERS[25] })
  })

  it('lists nothing without a search, but for those as whom the caller acted last', async () => {
    for (const query of ['', 'q=', 'q=%20%20']) {
      expect((await search(query)).body).to.deep.equal({
        offset: 0,
        recents: [],
        running: [],
        inbox: { records: [], alarms: [] },
        own: [],
      })
    }
    const gone = new Set<string>()
    const get = (id: string) => {
      if (gone.has('all')) throw new Error('the directory is out of order')
      return gone.has(id) ? undefined : { id, name: id.toUpperCase() }
    }
    const none = () => ({ customers: [], more: false })
    await using own = await deploy({ console: { customers: { get, search: none } } })
    for (const customer of ['alice', 'bob', 'carla', 'alice']) await own.impersonate({ customer })
    await own.impersonate({ operator: 'oscar', customer: 'hostile-emoji' })
    gone.add('carla')
    const { recents } = await own.read('olivia', '/customers')
    expect(recents.map(({ name }: { name: string }) => name)).to.deep.equal(['ALICE', 'BOB'])
    gone.add('all')
    const { text } = await own.browse('olivia', '')
    expect(text, 'what runs can be ended').to.contain('/end"')
  })

  it('says in the frame that there is no such customer', async () => {
    const page = await deployment.browse('olivia', '/customers/nobody')
    expectStatus(page, 404)
    expect(readText(page.text)).to.match(
      /Customers What I did.*This did not work There is no customer with this id/,
    )
  })

  it('refuses what it does not know, what is repeated, and what is too long', async () => {
    for (const query of [
      'q=a&limit=500',
      'q=a&q=b',
      `q=${'x'.repeat(101)}`,
      'q=a&offset=-1',
      'q=%00',
    ]) {
      expectStatus(await search(query), 400, query)
    }
  })

  it('the page of a customer tells who acts now and who did, and opens to an operator what is theirs', async () => {
    const ticket = { pattern: /SUP-\d+/, url: (name: string) => `https://tickets.example/${name}` }
    await using own = await deploy({ console: { ticket } })
    const before = await readPage(own, 'olivia', '/customers/carla')
    expect(before).to.contain('No one has acted as Carla Nunes yet.')
    expect(before).to.contain('class="button primary">Act as Carla Nunes')
    const mine = await own.impersonate({ customer: 'carla', ticket: 'SUP-7' })
    await mine.look()
    await mine.refused()
    const other = await own.impersonate({ operator: 'oscar', customer: 'carla', ticket: 'SUP-8' })
    const page = await readPage(own, 'olivia', '/customers/carla')
    expect(page, 'to act again is not what comes next').to.contain(
      'class="button">Act as Carla Nunes',
    )
    expect(page).to.contain('Oscar Öhman is acting as Carla Nunes right now. ')
    expect(page).to.match(
      /data-label="Reads" class="numeric">1<.*data-label="Refused" class="numeric">1</,
    )
    expect(page).to.contain(`href="/console/audit/${mine.id}"`)
    expect(page).not.to.contain(`href="/console/audit/${other.id}"`)
    expect(page).to.contain(
      '<a class="ticket whole" href="https://tickets.example/SUP-7" target="_blank" rel="noopener noreferrer"',
    )
    expect((await own.browse('grace', '/customers/carla')).text).to.contain(
      `href="/console/audit/${other.id}"`,
    )
    await other.end()
    const after = await readPage(own, 'olivia', '/customers/carla')
    expect(after).to.contain('No one else is acting as ')
    expect(after).to.contain('Ended by the operator')
  })

  it('the past goes on at the next page, and what cannot be read is said', async () => {
    const audit = faultyAudit()
    await using own = await deploy({ audit })
    for (let ticket = 0; ticket < 21; ticket += 1) {
      await (await own.impersonate({ ticket: `SUP-${ticket}.` })).end()
    }
    const first = await own.browse('olivia', '/customers/alice')
    expect(first.text).not.to.contain('SUP-0.')
    const [, next = ''] =
      /href="\/console(\/customers\/alice\?before=[^"]+)"/.exec(first.text) ?? []
    expect((await own.browse('olivia', next)).text).to.contain('SUP-0.')
    audit.failing = ['find']
    const failed = await own.browse('olivia', '/customers/alice')
    audit.failing = []
    expect(failed.text).to.contain('This cannot be shown right now')
    expect(failed.text).not.to.contain('No one has acted')
  })

  it('tells it in the language of the reader, and the names of applications, too', async () => {
    const languages: string[] = []
    await using german = await deploy({
      console: {
        words: { fr: FRENCH },
        customers: {
          search: (_text, { language }) => {
            languages.push(language)
            return { customers: [], more: false }
          },
          get: (id, { language }) => {
            languages.push(language)
            return { id, name: 'Alice Ng', protected: language === 'de' ? 'Gesperrt' : 'Locked' }
          },
        },
        applications: [
          {
            name: 'Shop',
            names: { de: 'Laden', fr: 'Boutique' },
            url: 'https://shop.example.com/',
            clientId: 'shop',
            resource: 'https://api.example.com/orders',
            scopes: { read: 'orders:read' },
          },
        ],
      },
    })
    const headers = { 'accept-language': 'de-AT,de;q=0.9' }
    const { body } = await german.ask('olivia', '/customers/alice', undefined, headers)
    expect(body.customer.protected).to.equal('Gesperrt')
    const english = await german.ask('olivia', '/customers/alice')
    expect(english.body.customer.protected).to.equal('Locked')
    await german.ask('olivia', '/customers?q=x', undefined, headers)
    expect(languages).to.include.members(['de', 'en'])
    const me = await german.ask('olivia', '/me', undefined, headers)
    expect(me.body.applications[0].name).to.equal('Laden')
    expect(me.body).to.include({ id: 'olivia', name: 'Olivia Okafor', role: 'operator' })
    expect((await german.read('olivia', '/me')).applications[0].name).to.equal('Shop')
    const canadian = { 'accept-language': 'fr-CA,en;q=0.5' }
    const inFrench = await german.ask('olivia', '/me', undefined, canadian)
    expect(inFrench.body.applications[0].name).to.equal('Boutique')
    await german.ask('olivia', '/customers?q=x', undefined, canadian)
    expect(languages.at(-1)).to.equal('fr')
  })

  it('the page says how many fit, leads to the form and to more, and begins with the first one', async () => {
    const page = await readPage(deployment, 'olivia', '/customers?q=alice')
    expect(page).to.contain('1 customer fits “alice”')
    expect(page).to.match(/<a href="\/console\/customers\/alice" autofocus>/)
    expect(page).to.match(/<a href="\/console\/act\?user=alice"[^>]*aria-label="Act as Alice Ng"/)
    const first = await readPage(deployment, 'olivia', '/customers?q=example')
    expect(first).to.contain('Customers 1 to 25 for “example”')
    expect(first).to.contain('href="/console/customers?q=example&amp;offset=25"')
    const second = await readPage(deployment, 'olivia', '/customers?q=example&offset=25')
    expect(second).to.contain('Customers 26 to ')
    expect(second).not.to.contain('/customers/alice"')
    const none = await readPage(deployment, 'olivia', '/customers?q=zzz')
    expect(none).to.contain('No customer fits “zzz”.')
  })

  it('names are text, and a protected customer says why instead of a way to act', async () => {
    const page = await readPage(deployment, 'olivia', '/customers?q=hostile-')
    expect(page).to.contain('&lt;img src=x')
    expect(page).not.to.contain('<img src=x')
    for (const path of ['/customers?q=paula', '/customers/paula']) {
      const paula = await readPage(deployment, 'olivia', path)
      expect(paula).to.contain('Paula works here: support does not act as colleagues.')
      expect(paula, path).not.to.contain('/act?user=paula')
    }
  })

  it('the directory is not asked for what can be no id', async () => {
    deployment.faults.directory = true
    try {
      for (const id of ['a%00b', 'a%0Ab', 'x'.repeat(256)]) {
        expectStatus(await deployment.ask('olivia', `/customers/${id}`), 404, id)
      }
    } finally {
      deployment.faults.directory = false
    }
  })

  it('I5: a directory that fails is trouble, and never reads as not found', async () => {
    deployment.faults.directory = true
    try {
      for (const ask of [
        () => search('q=alice'),
        () => deployment.ask('olivia', '/customers/alice'),
        () => deployment.ask('olivia', '/impersonations', ACT),
      ]) {
        const why = 'the customers cannot be looked up now'
        expectRefusal(await ask(), 503, 'temporarily_unavailable', why)
      }
      expect(deployment.log.join('\n')).to.contain('the directory is out of order')
    } finally {
      deployment.faults.directory = false
    }
  })
})
