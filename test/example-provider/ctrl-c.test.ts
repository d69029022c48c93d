import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { launch, type Running, send, signIn, temporaryFolder } from './support.ts'

const REQUEST = JSON.stringify({ userId: 'alice', reason: 'r', ticketId: 't' })

describe('Ctrl-C at the example', function () {
  this.timeout(120_000)

  async function withRunning(use: (running: Running) => Promise<void>): Promise<void> {
    await using folder = await temporaryFolder()
    await using running = await launch({ DATA_DIR: folder.path, STORAGE_URL: 'memory:' })
    await use(running)
  }

  /** A request that the server has begun to answer, and whose body it waits for. */
  async function beginRequest(base: string): Promise<ClientRequest> {
    const token = await signIn(base)
    const begun = request(`${base}/support/impersonations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': REQUEST.length,
        expect: '100-continue',
      },
    })
    begun.flushHeaders()
    await once(begun, 'continue')
    return begun
  }

  async function finish(begun: ClientRequest): Promise<void> {
    const answered = once(begun, 'response')
    begun.end(REQUEST)
    const [response] = await answered
    expect(response.statusCode).to.equal(201)
    expect(JSON.parse(await text(response))).to.have.property('subjectToken')
  }

  const isStopping = async ({ printed }: Running) => {
    while (!printed().includes('Finishing what is in flight')) await wait(10)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`${signal} lets a request in flight finish, and takes no new ones`, async () => {
      await withRunning(async (running) => {
        const { child, url, ended } = running
        // Neither a connection that is open and idle, nor one that was opened in advance, holds it up.
        const spare = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
        await once(spare, 'connect')
        const begun = await beginRequest(url)
        child.kill(signal)
        await isStopping(running)
        while (await send(url).then(Boolean, () => false)) await wait(10)
        expect(child.exitCode).to.equal(null)

        // The remaining work calls the provider, which must still run.
        await finish(begun)
        const since = performance.now()
        const { code, stderr } = await ended
        expect([code, stderr]).to.deep.equal([0, ''])
        // A client would give up the connection that it keeps after 4 s.
        expect(performance.now() - since).to.be.below(3500)
      })
    })
  }

  it('once more ends at once, whatever is in flight', async () => {
    await withRunning(async (running) => {
      const begun = await beginRequest(running.url)
      begun.on('error', () => {})
      running.child.kill('SIGINT')
      await isStopping(running)
      // A signal that comes earlier is the same one.
      await wait(400)
      running.child.kill('SIGINT')
      expect((await running.ended).code).to.equal(130)
    })
  })

  it('that npm hands on a moment later is the same one, not once more', async () => {
    await withRunning(async (running) => {
      const begun = await beginRequest(running.url)
      running.child.kill('SIGINT')
      running.child.kill('SIGTERM')
      await isStopping(running)
      await finish(begun)
      expect((await running.ended).code).to.equal(0)
    })
  })
})
