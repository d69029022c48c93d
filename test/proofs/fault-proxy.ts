import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A fault between a provider and its storage. */
export type FaultKind =
  /** Half of the command arrives, then the connection is reset. */
  | 'reset in mid-command'
  /** Nothing arrives until the fault is over. */
  | 'stall'
  /** The command is executed, and the connection is reset instead of the reply. */
  | 'reply lost'
  /** The command is executed, and the reply is held back until the fault is over. */
  | 'reply late'

export interface Fault {
  readonly kind: FaultKind
  /** The command that it affects: the one whose bytes contain this. */
  readonly command: string
  /** The number of times; every time, if not said. */
  readonly times?: number
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  /** The data that is withheld in each direction; undefined while it flows. */
  toServer: Buffer[] | undefined
  toClient: Buffer[] | undefined
  replyLost: boolean
}

/** A TCP proxy in front of a database, which injects faults on request. */
export class FaultProxy {
  /** Called with everything that a client sends, and with `undefined` when the server replies. */
  watch: ((data: Buffer | undefined) => void) | undefined
  /** The number of faults that occurred. */
  hits = 0
  readonly #target: { host: string; port: number }
  readonly #links = new Set<Link>()
  readonly #server: Server
  #fault: Fault | undefined
  #left = 0
  #port = 0

  constructor(url: string, defaultPort: number) {
    const { hostname, port } = new URL(url)
    this.#target = { host: hostname, port: Number(port) || defaultPort }
    this.#server = createServer((client) => this.#link(client))
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (typeof address === 'object' && address) this.#port = address.port
  }

  /** The URL that leads through the proxy. */
  through(url: string): string {
    const changed = new URL(url)
    changed.hostname = '127.0.0.1'
    changed.port = String(this.#port)
    return changed.href
  }

  /** From the next matching command on. One fault at a time. */
  inject(fault: Fault): void {
    this.#fault = fault
    this.#left = fault.times ?? Number.POSITIVE_INFINITY
  }

  /** Every connection is reset, and every new one refused. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const link of this.#links) this.#cut(link)
    await closed
  }

  /** The fault is over, and what was withheld arrives after all. */
  async heal(): Promise<void> {
    this.#fault = undefined
    for (const link of this.#links) {
      const { toServer = [], toClient = [], client, server } = link
      link.toServer = undefined
      link.toClient = undefined
      for (const data of toServer) server.write(data)
      for (const data of toClient) client.write(data)
    }
    if (!this.#server.listening) await this.listen()
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.refuse()
  }

  #link(client: Socket): void {
    const server = connect(this.#target)
    const link: Link = {
      client,
      server,
      toServer: undefined,
      toClient: undefined,
      replyLost: false,
    }
    this.#links.add(link)
    client.setNoDelay().on('data', (data) => this.#fromClient(link, data))
    server.setNoDelay().on('data', (data) => this.#fromServer(link, data))
    for (const [socket, peer] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => {})
      socket.once('close', () => {
        // a command that is withheld must arrive even when its sender has given up
        if (socket === client && link.toServer) return
        this.#links.delete(link)
        peer.end()
      })
    }
  }

  #fromClient(link: Link, data: Buffer): void {
    this.watch?.(data)
    if (link.toServer) {
      link.toServer.push(data)
      return
    }
    if (!this.#fault || this.#left === 0 || !data.includes(this.#fault.command)) {
      link.server.write(data)
      return
    }
    this.hits += 1
    this.#left -= 1
    switch (this.#fault.kind) {
      case 'reset in mid-command':
        link.server.write(data.subarray(0, data.length / 2), () => this.#cut(link))
        return
      case 'stall':
        link.toServer = [data]
        return
      case 'reply lost':
        link.replyLost = true
        break
      case 'reply late':
        link.toClient ??= []
    }
    link.server.write(data)
  }

  #fromServer(link: Link, data: Buffer): void {
    this.watch?.(undefined)
    if (link.replyLost) this.#cut(link)
    else if (link.toClient) link.toClient.push(data)
    else link.client.write(data)
  }

  #cut(link: Link): void {
    this.#links.delete(link)
    link.client.resetAndDestroy()
    link.server.resetAndDestroy()
  }
}
