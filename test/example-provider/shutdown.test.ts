import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { launch, type Running, send, signIn, temporaryFolder } from './support.ts'

const REQUEST = JSON.stringify({ userId: 'alice', reason: 'r', ticketId: 't' })

describe('example provider: Ctrl-C', function () {
  this.timeout(120_000)

  async function withRunning(use: (running: Running) => Promise<void>): Promise<void> {
    await using folder = await temporaryFolder()
    await using running = await launch({ DATA_DIR: folder.path, STORAGE_URL: 'memory:' })
    await use(running)
  }

  /** A request whose first half is sent, and its future answer. */
  async function halfSent(base: string) {
    const token = await signIn(base)
    const slow = request(`${base}/support/impersonations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': REQUEST.length,
      },
    })
    slow.write(REQUEST.slice(0, 10))
    // Introspection runs before the body is read; the test cannot observe its end.
    await sleep(1000)
    return {
      slow,
      async finish() {
        const answered = once(slow, 'response')
        slow.end(REQUEST.slice(10))
        const [response] = await answered
        return { status: response.statusCode, body: await text(response) }
      },
    }
  }

  async function refusesConnections(url: string): Promise<boolean> {
    return send(url).then(
      () => false,
      () => true,
    )
  }

  it('ends at once with 0 when nothing is going on', async () => {
    await withRunning(async ({ child, url, ended }) => {
      // Leaves a connection open and idle.
      expect((await send(url)).status).to.equal(200)
      const since = performance.now()
      child.kill('SIGINT')
      const { code, stderr } = await ended
      expect([code, stderr]).to.deep.equal([0, ''])
      expect(performance.now() - since).to.be.below(4500)
    })
  })

  it('does not wait for a connection that a browser opened in advance', async () => {
    await withRunning(async ({ child, url, ended }) => {
      const spare = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
      await once(spare, 'connect')
      expect((await send(url)).status).to.equal(200)
      const since = performance.now()
      child.kill('SIGINT')
      expect((await ended).code).to.equal(0)
      expect(performance.now() - since).to.be.below(4500)
    })
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`${signal} lets a request in flight finish, and takes no new ones`, async () => {
      await withRunning(async ({ child, url, ended }) => {
        const { finish } = await halfSent(url)
        child.kill(signal)
        await sleep(500)
        expect(await refusesConnections(url)).to.equal(true)
        expect(child.exitCode).to.equal(null)

        // The remaining work calls the provider, which must still run.
        const { status, body } = await finish()
        expect(status).to.equal(201)
        expect(JSON.parse(body)).to.have.property('subjectToken')
        const since = performance.now()
        const { code, stderr } = await ended
        // The stop does not wait until the client gives up the connection that it keeps, after 4 s.
        expect(performance.now() - since).to.be.below(3500)
        expect([code, stderr]).to.deep.equal([0, ''])
      })
    })
  }

  it('once more ends at once, whatever is in flight', async () => {
    await withRunning(async ({ child, url, ended }) => {
      const { slow } = await halfSent(url)
      slow.on('error', () => {})
      child.kill('SIGINT')
      await sleep(500)
      expect(child.exitCode).to.equal(null)
      child.kill('SIGINT')
      expect((await ended).code).to.equal(130)
    })
  })

  it('that npm hands on a moment later is the same one, not once more', async () => {
    await withRunning(async ({ child, url, ended }) => {
      const { finish } = await halfSent(url)
      child.kill('SIGINT')
      await sleep(50)
      child.kill('SIGINT')
      await sleep(300)
      expect((await finish()).status).to.equal(201)
      expect((await ended).code).to.equal(0)
    })
  })
})
