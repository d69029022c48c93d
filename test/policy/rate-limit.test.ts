import { expect } from 'chai'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { ipKey } from '../../src/policy/limits.ts'
import { basic, deploy } from '../support/deployment.ts'

describe('rateLimits.issue', () => {
  it('429 with Retry-After once the points are used up, client by client', async () => {
    const issue = new RateLimiterMemory({ points: 3, duration: 60 })
    await using deployment = await deploy({
      impersonation: { rateLimits: { issue } },
      clients: [
        {
          client_id: 'other',
          client_secret: 'secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
    })
    const statuses: number[] = []
    for (let request = 0; request < 4; request += 1) {
      statuses.push((await deployment.issue({ userId: 'alice' })).status)
    }
    expect(statuses).to.deep.equal([201, 201, 201, 429])
    const { headers, body } = await deployment.issue({ userId: 'alice' })
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    expect(body).to.have.all.keys('error', 'error_description')
    const token = await deployment.m2mToken({}, ['other', 'secret'])
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
  })

  it('I5: a limiter in trouble is a 500, not a free pass', async () => {
    let trouble: unknown
    const issue = { consume: () => Promise.reject(trouble) }
    await using deployment = await deploy({ impersonation: { rateLimits: { issue } } })
    const errorWithATime = Object.assign(new Error('down'), { msBeforeNext: 1000 })
    for (trouble of [new Error('down'), errorWithATime, undefined, {}, { msBeforeNext: '1' }]) {
      expect((await deployment.issue({ userId: 'alice' })).status).to.equal(500)
    }
  })

  it('Retry-After is in whole seconds, never too few, and 1 at least', async () => {
    let msBeforeNext = 0
    const issue = { consume: () => Promise.reject({ msBeforeNext }) }
    await using deployment = await deploy({ impersonation: { rateLimits: { issue } } })
    const answers: unknown[] = []
    for (msBeforeNext of [0, 1, 1000, 1001, 59_500]) {
      const { status, headers } = await deployment.issue({ userId: 'alice' })
      answers.push([status, headers.get('retry-after')])
    }
    expect(answers).to.deep.equal(['1', '1', '1', '2', '60'].map((seconds) => [429, seconds]))
  })
})

describe('rateLimits.failedExchanges', () => {
  it('counts failures alone, and then refuses even what would succeed', async () => {
    const failedExchanges = new RateLimiterMemory({ points: 2, duration: 60 })
    await using deployment = await deploy({ impersonation: { rateLimits: { failedExchanges } } })
    const good = async () => {
      const subject_token = await deployment.subjectToken()
      return (await deployment.exchange({ subject_token })).status
    }
    const bad = async () => (await deployment.exchange({ subject_token: 'guess' })).status
    expect([await good(), await good(), await good()]).to.deep.equal([200, 200, 200])
    expect([await bad(), await bad(), await bad()]).to.deep.equal([400, 400, 429])
    const subject_token = await deployment.subjectToken()
    const refused = await deployment.exchange({ subject_token })
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    // Another client is another key, and the token was not redeemed.
    const other = await deployment.exchange({ subject_token }, basic('web', 'web-secret'))
    expect(other.status).to.equal(200)
  })

  it('counts a client that proved who it is by its id, any other by its address as well', async () => {
    const taken: unknown[] = []
    const consume = async (key: string, points?: number) => taken.push([key, points])
    await using deployment = await deploy({
      impersonation: { rateLimits: { failedExchanges: { consume } } },
    })
    await deployment.exchange({ subject_token: 'guess' })
    await deployment.exchange({ subject_token: 'guess' }, basic('web', 'web-secret'))
    expect(taken).to.deep.equal([
      ['console|127.0.0.1', 0],
      ['console|127.0.0.1', 1],
      ['web', 0],
      ['web', 1],
    ])
  })

  it('of many guesses that arrive together, no more than the points are answered', async () => {
    const failedExchanges = new RateLimiterMemory({ points: 5, duration: 60 })
    await using deployment = await deploy({ impersonation: { rateLimits: { failedExchanges } } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => deployment.exchange({ subject_token: 'guess' })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([...Array(5).fill(400), ...Array(35).fill(429)])
  })

  it('a request that is refused with 429 takes no point', async () => {
    const taken: unknown[] = []
    const consume = (_key: string, points?: number) => {
      taken.push(points)
      return Promise.reject({ msBeforeNext: 1000 })
    }
    await using deployment = await deploy({
      impersonation: { rateLimits: { failedExchanges: { consume } } },
    })
    expect((await deployment.exchange({ subject_token: 'guess' })).status).to.equal(429)
    expect(taken).to.deep.equal([0])
  })

  it('I5: a limiter in trouble is a 500, before the exchange and after it', async () => {
    const down = Object.assign(new Error('down'), { status: 404, statusCode: 404, expose: true })
    for (const troubleAt of [0, 1]) {
      const consume = async (_key: string, points?: number) => {
        if (points === troubleAt) throw down
      }
      const rateLimits = { failedExchanges: { consume } }
      await using deployment = await deploy({ impersonation: { rateLimits } })
      const { status, body } = await deployment.exchange({ subject_token: 'guess' })
      expect([status, body.error]).to.deep.equal([500, 'server_error'])
    }
  })

  it('every limiter of rate-limiter-flexible fits, by type', () => {
    const fits: Array<{ consume(key: string, points?: number): Promise<unknown> }> = []
    fits.push(new RateLimiterMemory({ points: 1, duration: 1 }))
    expect(RateLimiterRedis.prototype).to.have.property('consume')
    expect(fits).to.have.lengthOf(1)
  })
})

describe('an address as a key', () => {
  const same: Array<[string, string[]]> = [
    ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1']],
    [
      '2001:db8:1:2::/64',
      ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:3:4:5:6%eth0'],
    ],
    ['0:0:0:0::/64', ['::1', '::', '0:0:0:0:0:0:0:1', '::1:ffff:192.0.2.1']],
    ['2001:db8:1:2::/64', ['2001:db8:1:2:3::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::']],
    ['1:2:3:4::/64', ['1:2:3:4::ffff:192.0.2.1', '1:2:3:4:5::']],
    ['255.254.253.252', ['255.254.253.252', '::ffff:fffe:fdfc']],
    ['203.0.113.7', ['203.0.113.7:4711', '::ffff:203.0.113.7', '[::ffff:203.0.113.7]:80']],
    ['2001:db8:0:0::/64', ['[2001:db8::1]:443', '2001:db8::2']],
    [
      'unknown',
      ['', 'nonsense', '1.2.3', '::g', 'x[::1]', '[::1]x', '::ffff:1.2.3.4x', '1.2.3.4:5x'],
    ],
  ]
  for (const [key, addresses] of same) {
    it(`${key} for ${addresses.join(', ')}`, () => {
      for (const address of addresses) expect(ipKey(address), address).to.equal(key)
    })
  }
})
