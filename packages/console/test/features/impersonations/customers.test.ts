import { expect } from 'chai'
import { ACT } from '../../support/acting.ts'
import { CUSTOMERS, type Deployment, deploy, HOSTILE } from '../../support/deployment.ts'
import { FRENCH } from '../../support/french.ts'

describe('searching for customers', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })

  after(() => deployment[Symbol.asyncDispose]())

  const search = (query: string) => deployment.ask('olivia', `/customers?${query}`)

  it('finds by name, e-mail address, id and what the directory offers, 25 at a time', async () => {
    for (const q of ['Alice Ng', 'alice@', 'alice', 'Lisbon']) {
      const { body } = await search(new URLSearchParams({ q }).toString())
      expect(body.customers.map(({ id }: { id: string }) => id)).to.include('alice')
    }
    const { body: first } = await search('q=example')
    expect(first.customers).to.have.length(25)
    expect(first.more).to.equal(true)
    const { body: second } = await search('q=example&offset=25')
    expect(second.customers[0]).to.deep.equal({ ...CUSTOMERS[25] })
  })

  it('lists nothing without a search', async () => {
    for (const query of ['', 'q=', 'q=%20%20']) {
      const { status, body } = await search(query)
      expect({ status, ...body }).to.deep.equal({
        status: 400,
        error: 'invalid_request',
        error_description: 'q is required: a text of 1 to 100 characters',
      })
    }
  })

  it('refuses what it does not know, what is repeated, and what is too long', async () => {
    for (const query of [
      'q=a&limit=500',
      'q=a&q=b',
      `q=${'x'.repeat(101)}`,
      'q=a&offset=-1',
      'q=%00',
    ]) {
      expect((await search(query)).status, query).to.equal(400)
    }
  })

  it('tells names as they are: what they could do in a page is for the page', async () => {
    const { body } = await search('q=hostile-')
    const names = body.customers.map(({ name }: { name: string }) => name)
    expect(names).to.have.members(Object.values(HOSTILE))
  })

  it('tells who is protected, and who acts as a customer right now', async () => {
    const { body } = await search('q=paula')
    expect(body.customers[0].protected).to.contain('Paula works here')
    const running = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    await deployment.settled()
    const { body: page } = await deployment.ask('olivia', '/customers/bob')
    expect(page.customer).to.deep.include({ id: 'bob', name: 'Bob Marsh' })
    expect(page.running).to.have.length(1)
    expect(page.running[0]).to.deep.include({
      id: running.id,
      operator: { id: 'oscar', name: 'Oscar Öhman', email: 'oscar@support.example' },
      isMine: false,
      canEnd: false,
    })
    expect((await deployment.ask('olivia', '/customers/ghost')).status).to.equal(404)
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
    expect((await german.ask('olivia', '/me')).body.applications[0].name).to.equal('Shop')
    const canadian = { 'accept-language': 'fr-CA,en;q=0.5' }
    const inFrench = await german.ask('olivia', '/me', undefined, canadian)
    expect(inFrench.body.applications[0].name).to.equal('Boutique')
    await german.ask('olivia', '/customers?q=x', undefined, canadian)
    expect(languages.at(-1)).to.equal('fr')
  })

  it('the directory is not asked for what can be no id', async () => {
    deployment.faults.directory = true
    try {
      for (const id of ['a%00b', 'a%0Ab', 'x'.repeat(256)]) {
        expect((await deployment.ask('olivia', `/customers/${id}`)).status, id).to.equal(404)
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
        const { status, body } = await ask()
        expect({ status, ...body }).to.deep.equal({
          status: 503,
          error: 'temporarily_unavailable',
          error_description: 'the customers cannot be looked up now',
        })
      }
      expect(deployment.log.join('\n')).to.contain('the directory is out of order')
    } finally {
      deployment.faults.directory = false
    }
  })
})
