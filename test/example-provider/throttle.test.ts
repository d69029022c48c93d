import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { passwordThrottle } from '../../example-provider/password-throttle.ts'
import { Cookies } from './cookies.ts'
import {
  type Answer,
  type Example,
  exchange,
  issueDirectly,
  postJson,
  signIn,
  start,
} from './support.ts'

describe('example provider: throttling of password guesses', () => {
  let example: Example

  beforeEach(async () => {
    example = await start()
  })
  afterEach(() => example.close())

  async function begin(): Promise<(login: string, password: string) => Promise<Answer>> {
    const cookies = new Cookies()
    const { headers } = await cookies.send(authorizationUrl(example.url))
    const page = new URL(headers.get('location') ?? '', example.url).href
    return (login, password) => cookies.submit(page, { login, password })
  }

  it('lets twenty through, all at once, and no more: 429, even for the right password', async () => {
    const guess = await begin()
    const answers = await Promise.all(Array.from({ length: 25 }, () => guess('olivia', 'wrong')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([...Array(20).fill(401), ...Array(5).fill(429)])

    const right = await guess(' OLIVIA ', 'demo-password')
    expect(right.status).to.equal(429)
    expect(Number(right.headers.get('retry-after'))).to.be.within(1, 600)
    expect(right.text).to.include('Too many attempts').and.include('name="password"')
    expect((await guess('alice', 'demo-password')).status).to.equal(303)
  }).timeout(120_000)

  it('does not count who gets in', async () => {
    for (let round = 0; round < 21; round += 1) await signIn(example.url)
  }).timeout(120_000)
})

describe('example provider: what a guess is counted by', () => {
  async function guesses(
    count: number,
    of: (index: number) => [address: string, login: string],
  ): Promise<number> {
    const throttle = passwordThrottle()
    const attempts = Array.from({ length: count }, (_, index) => throttle.begin(...of(index)))
    return (await Promise.all(attempts)).filter(({ allowed }) => allowed).length
  }

  it('the network of an IPv6 address, in which one host has as many as it likes', async () => {
    const address = (index: number) => `2001:db8:0:1::${index.toString(16)}`
    expect(await guesses(30, (index) => [address(index), 'olivia'])).to.equal(20)
    expect(
      await guesses(30, (index) => [`2001:db8:0:${index}::1`, 'olivia']),
      'other networks are others',
    ).to.equal(30)
  })

  it('an IPv4 address, however it is written', async () => {
    const written = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201']
    expect(await guesses(30, (index) => [written[index % 3] ?? '', 'olivia'])).to.equal(20)
  })

  it('the address alone: one password for everybody is no way around', async () => {
    expect(await guesses(250, (index) => ['192.0.2.1', `user-${index}`])).to.equal(200)
  })

  it('as much of a login as there can be', async () => {
    const long = 'a'.repeat(64)
    expect(await guesses(30, (index) => ['192.0.2.1', `${long}${index}`])).to.equal(20)
  })
})

describe('example provider: LIMIT_PER_MINUTE', () => {
  let example: Example

  beforeEach(async () => {
    example = await start({ LIMIT_PER_MINUTE: '3' })
  })
  afterEach(() => example.close())

  function expectTooMany({ status, body, headers }: Answer): void {
    expect([status, body.error]).to.deep.equal([429, 'temporarily_unavailable'])
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
  }

  it('limits the subject tokens of a client; the backend passes 429 on', async () => {
    const olivia = await signIn(example.url)
    for (let count = 0; count < 3; count += 1) {
      expect((await issueDirectly(example.url, { userId: 'alice' })).status).to.equal(201)
    }
    expectTooMany(await issueDirectly(example.url, { userId: 'alice' }))
    const request = { userId: 'alice', reason: 'r', ticketId: 't' }
    expectTooMany(await postJson(`${example.url}/support/impersonations`, request, olivia))
  })

  it('limits the exchanges that fail, and by that those that would not', async () => {
    const { body } = await issueDirectly(example.url, { userId: 'alice' })
    for (let count = 0; count < 3; count += 1) {
      expect((await exchange(example.url, 'a-guess')).status).to.equal(400)
    }
    expectTooMany(await exchange(example.url, 'a-guess'))
    expectTooMany(await exchange(example.url, body.subjectToken))
  })
})
