import { expect } from 'chai'
import { later } from '../support/clock.ts'
import { expectAnswer } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'

describe('GET …/impersonations: list', () => {
  let ids: string[]
  const deployment = shared(() =>
    managing({ accounts: new Set(['alice', 'bob', 'olivia', 'oscar']) }),
  )
  before(async () => {
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

  const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)

  /** All pages. */
  async function walk(query: string, between = async () => {}): Promise<string[][]> {
    const pages: string[][] = []
    let next: string | undefined
    do {
      const cursor: string = next === undefined ? '' : `&cursor=${next}`
      const { body } = await expectAnswer(deployment.get(`?${query}${cursor}`), 200)
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
    const pages = await walk('limit=3&requestedBy=backend', async () => {
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
    expect(await by('userId=bob&actor=olivia&requestedBy=backend')).to.have.lengthOf(2)
    expect(await by('userId=bob&actor=nobody')).to.deep.equal([])
    expect(await by('requestedBy=console')).to.deep.equal([])
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
    const actor_token = await deployment.actorToken('oscar')
    const { id, subjectToken } = await deployment.start({ userId: 'olivia' })
    const active = async () =>
      idsOf((await deployment.get('?actor=oscar&state=active&userId=olivia')).body)
    expect(await active()).to.deep.equal([])
    await deployment.exchange({ subject_token: subjectToken, actor_token })
    expect(await active()).to.deep.equal([id])
  })

  it('400 for what is no question, naming it', async () => {
    const { next } = (await deployment.get('?limit=1&userId=alice')).body
    const [iat, id, mark] = Buffer.from(next, 'base64url').toString().split('.')
    const cursor = (...parts: unknown[]) => Buffer.from(parts.join('.')).toString('base64url')
    /** Queries after `?name=`, by the name, or by what the refusal says instead. */
    const refused: Record<string, string[]> = {
      limit: ['0', '101', '1e1', '', '-1', '1.5', '%201', '٣'],
      state: ['', 'Active', 'issued,active', '__proto__'],
      userId: ['', '%00', 'x'.repeat(1025)],
      actor: [''],
      requestedBy: [''],
      cursor: [
        ...['', '%2B%2F%3D', `${next}=`, next + 'A'.repeat(512), 'A'.repeat(5000), 'bm90IGpzb24'],
        ...[cursor(), cursor(iat, id), cursor(iat, id, mark, 1), cursor(`0${iat}`, id, mark)],
        ...['NaN', -1, 1.5, Number.MAX_SAFE_INTEGER].map((time) => cursor(time, id, mark)),
        ...[cursor(iat, "' OR 1=1 --", mark), cursor(iat, id, 'forged'), cursor(iat, id, null)],
      ].map((each) => `${each}&userId=alice`),
    }
    refused.cursor?.push(...['', '&userId=bob', '&userId=alice&state=issued'].map((q) => next + q))
    for (const name of ['limt', '__proto__', 'constructor', 'toString', 'userId[]']) {
      // Defined, because an assignment would set the prototype.
      Object.defineProperty(refused, name, { value: ['1'], enumerable: true })
    }
    const queries = Object.entries(refused).flatMap(([name, values]) =>
      values.map((value) => [name, `${name}=${value}`]),
    )
    queries.push(
      ['__proto__', '__proto__=1&__proto__=2'],
      ['must not be repeated', 'limit=1&limit=1'],
      ['must not be repeated', 'userId=alice&userId=bob'],
      ['is not known', '=1'],
      ['is not known', '%22=1'],
    )
    for (const [named, query] of queries) {
      const { body } = await expectAnswer(
        deployment.get(`?${query}`),
        400,
        'invalid_request',
        query,
      )
      expect(body.error_description, query).to.include(named)
    }
    for (const query of [
      'limit=1',
      'limit=100',
      'limit=010',
      `limit=2&userId=alice&cursor=${next}`,
    ]) {
      await expectAnswer(deployment.get(`?${query}`), 200, undefined, query)
    }
  })
})
