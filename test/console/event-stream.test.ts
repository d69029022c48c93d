import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { EventStream } from '../../console/backend/event-stream.ts'
import { until } from '../adapters/servers.ts'
import { listen } from '../example-provider/support.ts'

const LARGE = { id: '1', event: 'audit', data: 'x'.repeat(1_000_000) }

describe('console: a stream whose client reads nothing', function () {
  this.timeout(120_000)

  /** A stream on a real connection whose buffers are full. */
  async function stalled(
    use: (stream: EventStream, isClosed: () => boolean, socket: Socket) => Promise<void>,
  ) {
    const begun = Promise.withResolvers<EventStream>()
    let isClosed = false
    const server = await listen((_request, response) => {
      response.once('close', () => {
        isClosed = true
      })
      begun.resolve(new EventStream(response))
    })
    const socket = connect(Number(new URL(server.url).port), 'localhost')
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const stream = await begun.promise
    let sent = 0
    const fill = async () => {
      for (; !stream.ended.aborted; sent += 1) await stream.send(LARGE)
    }
    const over = fill()
    await until(async () => {
      const before = sent
      await wait(100)
      return sent > 0 && sent === before
    })
    await use(stream, () => isClosed, socket)
    await over
    socket.destroy()
    await server.close()
  }

  it('is no longer filled', async () => {
    await stalled(async (stream) => {
      expect(stream.ended.aborted).to.equal(false)
      stream.end()
    })
  })

  it('is broken off a moment after it was ended', async () => {
    await stalled(async (stream, isClosed) => {
      stream.end()
      stream.end()
      expect(isClosed()).to.equal(false)
      await wait(1500)
      expect(isClosed()).to.equal(true)
    })
  })

  it('is ended by the next sign of life', async () => {
    await stalled(async (stream) => {
      stream.comment('still here')
      expect(stream.ended.aborted).to.equal(true)
    })
  })

  it('is over when the client leaves', async () => {
    await stalled(async (stream, _isClosed, socket) => {
      const ended = once(stream.ended, 'abort')
      socket.destroy()
      await ended
    })
  })
})
