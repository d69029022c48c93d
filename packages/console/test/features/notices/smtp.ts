import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Smtp extends AsyncDisposable {
  /** Each mail as it came. */
  readonly received: readonly string[]
  readonly url: string
}

/** A server of mail that keeps what it is handed. */
export async function startSmtp(): Promise<Smtp> {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      text(stream).then((mail) => {
        received.push(mail)
        done()
      }, done)
    },
  })
  // Connections of processes that are killed.
  server.on('error', () => {})
  const { port } = await new Promise<AddressInfo>((resolve) => {
    const { server: listening } = server
    server.listen(0, '127.0.0.1', () => resolve(listening.address() as AddressInfo))
  })
  return {
    received,
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
