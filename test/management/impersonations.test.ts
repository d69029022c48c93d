import { expect } from 'chai'
import { later } from '../support/clock.ts'
import { basic } from '../support/deployment.ts'
import { faultyAdapter, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { type Managed, managing, RESOURCE, raw } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'

describe('GET …/impersonations/{id}: see one', () => {
  let deployment: Managed
  before(async () => {
    deployment = await managing()
  })
  after(() => deployment.close())

  it('one id from the issue to the end, and what is known at each moment', async () => {
    const { get, start, orders, exchange, send } = deployment
    const context = { ticketId: 'SUP-123' }
    const mayAct = { sub: 'olivia', clientId: 'console' }
    const { id, subjectToken } = await start({ context, mayAct, resource: orders, expiresIn: 60 })
    const issued = await get(`/${id}`)
    expect(issued.status).to.equal(200)
    expect(issued.headers.get('cache-control')).to.equal('no-store')
    const { issuedAt, status } = issued.body
    expect(status).to.have.all.keys('idx', 'uri')
    expect(status.uri.startsWith(`${deployment.issuer}/status-lists/`)).to.equal(true)
    expect(issued.body).to.deep.equal({
      id,
      state: 'issued',
      userId: 'alice',
      mayAct,
      issuedTo: 'backend',
      resource: [orders],
      context,
      issuedAt,
      redeemableUntil: issuedAt + 60,
      status,
    })
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    expect((await exchange({ subject_token: subjectToken, actor_token })).status).to.equal(200)
    const { body: active } = await get(`/${id}`)
    expect(active.startedAt).to.be.within(issuedAt, issuedAt + 60)
    expect(active.expiresAt - active.startedAt).to.be.within(899, 901)
    const { startedAt, expiresAt } = active
    expect(active).to.deep.equal({
      ...issued.body,
      state: 'active',
      actor: { sub: 'olivia' },
      client: 'console',
      resource: orders,
      scope: 'orders:read',
      startedAt,
      expiresAt,
    })
    const how = { by: { sub: 'olivia' }, cause: 'user', reason: 'done' }
    const ended = await send(`/${id}/end`, how)
    const { at } = ended.body.end
    expect(at).to.be.within(startedAt, startedAt + 60)
    expect(ended.body).to.deep.equal({ ...active, state: 'ended', end: { at, ...how } })
    expect((await get(`/${id}`)).body).to.deep.equal(ended.body)
  })

  it('neither the value of a token nor what the storage keeps for itself is shown', async () => {
    const { id, subjectToken } = await deployment.start()
    const { body } = await deployment.exchange({ subject_token: subjectToken })
    await deployment.send(`/${id}/end`)
    const shown = JSON.stringify((await deployment.get(`/${id}`)).body)
    expect(shown).to.not.include(subjectToken).and.not.include(body.access_token)
    expect(shown).to.not.include('attempt').and.not.include('grant').and.not.include('binding')
  })

  it('an expired one is shown as expired, redeemed or not, until its record goes', async () => {
    const { id } = await deployment.start()
    const redeemed = await deployment.start()
    await deployment.exchange({ subject_token: redeemed.subjectToken })
    {
      using _ = later(590_000)
      expect((await deployment.get(`/${id}`)).body.state).to.equal('issued')
    }
    const tokenOf = () => deployment.m2mToken({ resource: RESOURCE, scope: 'impersonations:read' })
    using _ = later(902_000)
    const token = await tokenOf()
    for (const each of [id, redeemed.id]) {
      expect((await deployment.get(`/${each}`, { token })).body.state).to.equal('expired')
    }
  })

  it('an id of any other shape is 404 or another path, and never a 500', async () => {
    const { id } = await deployment.start()
    const headers = { authorization: `Bearer ${deployment.token}` }
    const shapes = [
      'A'.repeat(43),
      id.toLowerCase(),
      id.toUpperCase(),
      `${id}=`,
      `${id}%20`,
      `${id}%00`,
      `${id}%0A`,
      `${id}%2F`,
      id.slice(1),
      `x${id}`,
      '%2e%2e',
      '..',
      '.',
      '%',
      '%ff',
      '%F0%9F%92%A9',
      '%2e%2e%2fsubject-tokens',
      '__proto__',
      'constructor',
      'null',
      '*',
      ';',
      "'%20OR%201=1",
      '$ne',
      'x'.repeat(4000),
    ]
    for (const shape of shapes) {
      const seen = await raw(deployment.base, `/api/impersonations/${shape}`, { headers })
      expect([seen.status, JSON.parse(seen.text).error], shape).to.deep.equal([404, 'not_found'])
      const path = `/api/impersonations/${shape}/end`
      const ended = await raw(deployment.base, path, { method: 'POST', headers })
      expect([ended.status, JSON.parse(ended.text).error], shape).to.deep.equal([404, 'not_found'])
    }
    // No routes of this API: the application answers.
    for (const path of ['/', `/${id}/`, `//${id}`, `/${id}/End`, `/${id}/end/`, `/${id}/../x`]) {
      const { status, text } = await raw(deployment.base, `/api/impersonations${path}`, { headers })
      expect([status, text], path).to.deep.equal([404, 'Not Found'])
    }
    expect(deployment.serverErrors).to.deep.equal([])
  })
})

describe('GET …/impersonations: list', () => {
  let deployment: Managed
  let ids: string[]
  before(async () => {
    deployment = await managing({ accounts: new Set(['alice', 'bob', 'olivia', 'oscar']) })
    ids = []
    // Two in each second: their order among each other is settled, too.
    for (const second of [0, 1, 2, 3]) {
      using _ = later(second * 1000)
      const mayAct = { sub: second % 2 === 0 ? 'olivia' : 'oscar' }
      for (const userId of ['alice', 'bob']) {
        ids.unshift((await deployment.start({ userId, mayAct })).id)
      }
    }
  })
  after(() => deployment.close())

  const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)

  /** All pages. */
  async function walk(query: string, between = async () => {}): Promise<string[][]> {
    const pages: string[][] = []
    let next: string | undefined
    do {
      const cursor: string = next === undefined ? '' : `&cursor=${next}`
      const { status, body } = await deployment.get(`?${query}${cursor}`)
      expect(status, JSON.stringify(body)).to.equal(200)
      pages.push(idsOf(body))
      next = body.next
      await between()
    } while (next !== undefined)
    return pages
  }

  it('newest first, and pages stay as they are while others are issued', async () => {
    const { items } = (await deployment.get('')).body
    expect(idsOf({ items })).to.have.members(ids)
    const seconds = items.map(({ issuedAt }: { issuedAt: number }) => issuedAt)
    expect(seconds).to.deep.equal(seconds.toSorted((a: number, b: number) => b - a))
    let inserted = 0
    const pages = await walk('limit=3&issuedTo=backend', async () => {
      if (inserted++ > 0) return
      using _ = later(20_000)
      await deployment.start({ userId: 'olivia' })
    })
    expect(pages.flat()).to.deep.equal(idsOf({ items }))
    expect(pages.map(({ length }) => length)).to.deep.equal([3, 3, 2])
  })

  it('filters, one by one and together; an end changes no page', async () => {
    const by = async (query: string) => (await walk(`limit=2&${query}`)).flat()
    const [first = '', second = ''] = await by('userId=alice')
    expect(await by('userId=alice')).to.have.lengthOf(4)
    expect(await by('actor=oscar')).to.have.lengthOf(4)
    expect(await by('userId=bob&actor=olivia&issuedTo=backend')).to.have.lengthOf(2)
    expect(await by('userId=bob&actor=nobody')).to.deep.equal([])
    expect(await by('issuedTo=console')).to.deep.equal([])
    expect(await by('userId=alice%20')).to.deep.equal([])
    const page = await deployment.get('?userId=alice&limit=1')
    await deployment.send(`/${first}/end`)
    const rest = await deployment.get(`?userId=alice&limit=1&cursor=${page.body.next}`)
    expect(idsOf(rest.body)).to.deep.equal([second])
    expect(await by('userId=alice&state=ended')).to.deep.equal([first])
    expect(await by('userId=alice&state=issued'))
      .to.have.lengthOf(3)
      .and.not.include(first)
    expect(await by('state=active')).to.deep.equal([])
  })

  it('an actor is who redeemed, once that is known', async () => {
    const { access_token: actor_token } = await signIn(deployment, 'oscar')
    const { id, subjectToken } = await deployment.start({ userId: 'olivia' })
    const active = async () =>
      idsOf((await deployment.get('?actor=oscar&state=active&userId=olivia')).body)
    expect(await active()).to.deep.equal([])
    await deployment.exchange({ subject_token: subjectToken, actor_token })
    expect(await active()).to.deep.equal([id])
  })

  it('400 for what is no question, naming it', async () => {
    const { next } = (await deployment.get('?limit=1&userId=alice')).body
    const [iat, id, mark] = JSON.parse(Buffer.from(next, 'base64url').toString())
    const cursor = (...parts: unknown[]) =>
      `userId=alice&cursor=${Buffer.from(JSON.stringify(parts)).toString('base64url')}`
    const bad: Record<string, string[]> = {
      limit: ['0', '101', '1e1', '', '0x10', '-1', '1.5', '%201', '1%20', '999999999999', '٣'].map(
        (limit) => `limit=${limit}`,
      ),
      state: ['state=', 'state=Active', 'state=issued,active', 'state=__proto__'],
      userId: ['userId=', 'userId=%00', `userId=${'x'.repeat(1025)}`],
      actor: ['actor='],
      issuedTo: ['issuedTo='],
      cursor: [
        'userId=alice&cursor=',
        'userId=alice&cursor=%2B%2F%3D',
        `userId=alice&cursor=${next}=`,
        `userId=alice&cursor=${next}${'A'.repeat(512)}`,
        `userId=alice&cursor=${'A'.repeat(5000)}`,
        'userId=alice&cursor=bm90IGpzb24',
        `userId=bob&cursor=${next}`,
        `userId=alice&state=issued&cursor=${next}`,
        `cursor=${next}`,
        cursor(),
        cursor(iat, id),
        cursor(iat, id, mark, 1),
        cursor(String(iat), id, mark),
        cursor(-1, id, mark),
        cursor(1.5, id, mark),
        cursor(Number.MAX_SAFE_INTEGER, id, mark),
        cursor(iat, "' OR 1=1 --", mark),
        cursor(iat, id, 'forged'),
        cursor(iat, id, null),
      ],
      limt: ['limt=1'],
      // A computed key: otherwise it would be the prototype.
      ['__proto__']: ['__proto__=1', '__proto__=1&__proto__=2'],
      constructor: ['constructor=1'],
      toString: ['toString=1'],
      'userId[]': ['userId[]=alice'],
      'must not be repeated': ['limit=1&limit=1', 'userId=alice&userId=bob'],
      'is not known': ['=1', '%22=1'],
    }
    for (const [named, queries] of Object.entries(bad)) {
      for (const query of queries) {
        const { status, body } = await deployment.get(`?${query}`)
        expect([status, body.error], query).to.deep.equal([400, 'invalid_request'])
        expect(body.error_description, query).to.include(named)
      }
    }
    expect(Object.keys(bad)).to.include('__proto__')
    for (const query of [
      'limit=1',
      'limit=100',
      'limit=010',
      `limit=2&userId=alice&cursor=${next}`,
    ]) {
      expect((await deployment.get(`?${query}`)).status, query).to.equal(200)
    }
  })
})

describe('who may see, and who may end', () => {
  const machine = {
    client_secret: 'secret',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
  let deployment: Managed
  const named = new Set(['reader'])
  before(async () => {
    deployment = await managing({
      impersonation: {
        managementApi: {
          resource: RESOURCE,
          clients: {
            issue: ['backend', 'issuer'],
            read: async ({ clientId }) => clientId === 'backend' || named.has(clientId),
            end: ['backend', 'ender'],
          },
        },
      },
      clients: ['reader', 'ender', 'issuer'].map((client_id) => ({ ...machine, client_id })),
    })
  })
  after(() => deployment.close())

  const ask = (client: string, scope?: string) =>
    deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource: RESOURCE, scope },
      basic(client, client === 'backend' ? 'backend-secret' : 'secret'),
    )

  /** The statuses of: see, list, end, end many, issue. */
  async function statuses(token: string): Promise<number[]> {
    const { id } = await deployment.start()
    const answers = [
      await deployment.get(`/${id}`, { token }),
      await deployment.get('', { token }),
      await deployment.send(`/${id}/end`, undefined, { token }),
      await deployment.send('/end', { userId: 'unknown' }, { token }),
      await deployment.issue({ userId: 'alice' }, { token }),
    ]
    return answers.map(({ status }) => status)
  }

  it('a token has the scopes that it asks for, of what its client is named for', async () => {
    const all = 'impersonate impersonations:read impersonations:end'
    const granted = async (client: string, scope: string) => (await ask(client, scope)).body.scope
    expect(await granted('backend', 'impersonations:read')).to.equal('impersonations:read')
    expect(await granted('backend', 'impersonations:end')).to.equal('impersonations:end')
    expect(await granted('backend', 'impersonate')).to.equal('impersonate')
    expect((await granted('backend', all)).split(' ')).to.have.members(all.split(' '))
    expect(await granted('reader', all)).to.equal('impersonations:read')
    expect(await granted('ender', all)).to.equal('impersonations:end')
    expect(await granted('issuer', all)).to.equal('impersonate')
  })

  it('reading is not ending, ending is not reading, and neither is issuing', async () => {
    const tokenOf = async (client: string, scope: string) =>
      (await ask(client, scope)).body.access_token
    expect(await statuses(deployment.token)).to.deep.equal([200, 200, 200, 200, 201])
    const read = 'impersonations:read'
    const end = 'impersonations:end'
    // Another right than the token's: 403 where the client is named for it, and 401 where it is not.
    expect(await statuses(await tokenOf('backend', read))).to.deep.equal([200, 200, 403, 403, 403])
    expect(await statuses(await tokenOf('backend', end))).to.deep.equal([403, 403, 200, 200, 403])
    expect(await statuses(await tokenOf('reader', read))).to.deep.equal([200, 200, 401, 401, 401])
    expect(await statuses(await tokenOf('ender', end))).to.deep.equal([401, 401, 200, 200, 401])
    expect(await statuses(await tokenOf('issuer', 'impersonate'))).to.deep.equal([
      401, 401, 401, 401, 201,
    ])
    const { body } = await ask('backend')
    expect(await statuses(body.access_token)).to.deep.equal([403, 403, 403, 403, 403])
  })

  it('403 names the scope that is missing', async () => {
    const { body } = await ask('backend', 'impersonate')
    const token = body.access_token
    for (const [scope, answer] of [
      ['impersonations:read', await deployment.get('', { token })],
      ['impersonations:end', await deployment.send('/end', { userId: 'x' }, { token })],
    ] as const) {
      expect([answer.status, answer.body.error]).to.deep.equal([403, 'insufficient_scope'])
      const challenge = answer.headers.get('www-authenticate')
      expect(challenge).to.include('error="insufficient_scope"').and.include(`scope="${scope}"`)
    }
  })

  it('a right that is taken away is gone at once, with the tokens that have it', async () => {
    const { body } = await ask('reader', 'impersonations:read')
    const token = body.access_token
    expect((await deployment.get('', { token })).status).to.equal(200)
    named.delete('reader')
    const refused = await deployment.get('', { token })
    expect([refused.status, refused.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await ask('reader', 'impersonations:read')).body.error).to.equal('invalid_target')
    named.add('reader')
    expect((await deployment.get('', { token })).status).to.equal(200)
  })

  it('401 for everything that is no machine token, before anything else is looked at', async () => {
    const { subjectToken } = await deployment.start()
    const exchanged = await deployment.exchange({ subject_token: subjectToken })
    const { access_token } = await signIn(deployment, 'olivia')
    const ids = ['/x', '', '/x/end', '/end']
    for (const [at, path] of ids.entries()) {
      const send = (authorization?: string) =>
        raw(deployment.base, `/api/impersonations${path}?limit=0`, {
          method: at < 2 ? 'GET' : 'POST',
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            'content-type': 'application/json',
          },
        })
      const others = [
        subjectToken,
        exchanged.body.access_token,
        access_token,
        'garbage',
        '.',
        'a b',
      ]
      for (const token of others) {
        const { status, text } = await send(`Bearer ${token}`)
        expect([status, JSON.parse(text).error], path).to.deep.equal([401, 'invalid_token'])
      }
      for (const authorization of [undefined, 'Basic YTpi']) {
        const { status, text } = await send(authorization)
        expect([status, JSON.parse(text).error_description], path).to.deep.equal([
          401,
          'no access token provided',
        ])
      }
    }
  })
})

describe('the routes of impersonations', () => {
  it('answer the methods that they have, and name them', async () => {
    const deployment = await managing()
    const { id } = await deployment.start()
    const allow = {
      '': 'GET, HEAD',
      [`/${id}`]: 'GET, HEAD',
      '/end': 'POST',
      [`/${id}/end`]: 'POST',
    }
    for (const [path, allowed] of Object.entries(allow)) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(`${deployment.base}/api/impersonations${path}`, {
          method,
          headers: { authorization: `Bearer ${deployment.token}` },
        })
        const text = await response.text()
        if (method === 'HEAD') expect(text).to.equal('')
        if (allowed.split(', ').includes(method)) {
          expect(response.status, `${method} ${path}`).to.be.oneOf([200, 415])
          continue
        }
        expect([response.status, response.headers.get('allow')], `${method} ${path}`).to.deep.equal(
          [405, allowed],
        )
        expect(response.headers.get('cache-control')).to.equal('no-store')
      }
    }
    expect(deployment.serverErrors).to.deep.equal([])
    await deployment.close()
  })

  it('I5: storage that fails is a 500 with a body of JSON, and never "not found"', async () => {
    const { adapter, faults } = faultyAdapter()
    const deployment = await managing({ configuration: { adapter } })
    const { id } = await deployment.start()
    faults.add('SubjectToken.find').add('SubjectToken.list')
    for (const path of ['', `/${id}`, '?userId=alice']) {
      const { status, body, headers } = await deployment.get(path)
      expect([status, body]).to.deep.equal([
        500,
        { error: 'server_error', error_description: 'oops! something went wrong' },
      ])
      expect(headers.get('cache-control')).to.equal('no-store')
    }
    expect(deployment.serverErrors).to.have.lengthOf(3)
    faults.clear()
    expect((await deployment.get(`/${id}`)).status).to.equal(200)
    await deployment.close()
  })

  for (const [what, options] of Object.entries({
    'lifecycle.enabled is false': { impersonation: { lifecycle: { enabled: false } } },
    'the adapter lacks a method': {
      configuration: { adapter: memoryAdapterWith({ list: undefined }) },
    },
  })) {
    it(`are not there where ${what}, and no scope is offered for them`, async () => {
      const deployment = await managing(options)
      expect(deployment.provider.impersonation.canEnd).to.equal(false)
      const { id } = await deployment.start()
      const answers = [
        await deployment.get(''),
        await deployment.get(`/${id}`),
        await deployment.send(`/${id}/end`),
        await deployment.send('/end', { userId: 'alice' }),
      ]
      expect(answers.map(({ status, body }) => [status, body])).to.deep.equal(
        answers.map(() => [404, 'Not Found']),
      )
      const current = await deployment.post('/oidc/impersonations/current/end', {})
      expect([current.status, current.body]).to.deep.equal([404, 'Not Found'])
      const { body } = await deployment.post(
        '/oidc/token',
        {
          grant_type: 'client_credentials',
          resource: RESOURCE,
          scope: 'impersonate impersonations:read impersonations:end',
        },
        basic('backend', 'backend-secret'),
      )
      expect(body.scope).to.equal('impersonate')
      expect(
        (await deployment.events()).filter(({ name }) => name.endsWith('denied')),
      ).to.deep.equal([])
      await deployment.close()
    })
  }
})
