import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { assertWholeLog } from '../../ledger/stores/contract/support.ts'
import type { Killed } from './killed-process.ts'
import { startSmtp } from './smtp.ts'

const KINDS = ['sqlite', 'postgres'] as const

/** When each process is killed: at the n-th start, notice that it sends, or has sent. */
const KILLED: readonly (readonly [Killed, count: number])[] = [
  ...[1, 2, 3, 5].map((count) => ['answered', count] as const),
  ...[1, 2, 3].map((count) => ['sending', count] as const),
  ...[1, 2, 3].map((count) => ['sent', count] as const),
]

/** Runs a process to its end. Returns what it wrote down. */
async function run(...args: string[]): Promise<{ lines: string[][]; signal: unknown }> {
  const child = fork(new URL('killed-process.ts', import.meta.url), args, {
    execArgv: ['--conditions=oidc-provider-impersonation'],
    silent: true,
  })
  const { stdout, stderr } = child
  if (!stdout || !stderr) return expect.fail('no output')
  const [output, errors, [code, signal]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, 'exit'),
  ])
  if (code) throw new Error(errors)
  return { lines: output.split('\n').map((line) => line.split(' ')), signal }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

describe('a process that tells customers, and is killed', function () {
  this.timeout(300_000)

  for (const kind of KINDS) {
    it(`loses no notice of a start over ten kills, and repeats some with the same id: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      const folder = await mkdtemp(join(tmpdir(), 'notices-killed-'))
      const file = join(folder, 'provider.db')
      const port = await freePort()
      await using smtp = await startSmtp()
      const all: string[][] = []
      for (const [mode, count] of KILLED) {
        const { lines, signal } = await run(kind, place, file, port, smtp.url, mode, String(count))
        expect(signal).to.equal('SIGKILL')
        all.push(...lines)
      }
      const before = smtp.received.length
      all.push(...(await run(kind, place, file, port, smtp.url, 'restart')).lines)
      const idsOf = (what: string) =>
        all.filter(([first]) => first === what).map(([, id = '']) => id)
      const known = idsOf('known')
      expect(known).to.include.members(idsOf('started'))
      const headerOf = (mail: string, name: RegExp) => name.exec(mail)?.[1] ?? ''
      const ids = new Map(
        smtp.received.map((mail) => [
          headerOf(mail, /^x-impersonation: (.*?)\r?$/im),
          headerOf(mail, /^message-id: <(.*)>/im),
        ]),
      )
      expect(
        known.filter((id) => !ids.has(id)),
        'started, and no mail',
      ).to.deep.equal([])
      expect(new Set(ids.values()).size, 'one id for each').to.equal(ids.size)
      const { store, close } = await storeAt(kind, place)
      await store.open()
      await assertWholeLog(store)
      await store.close()
      await close()
      console.log(
        `      ${KILLED.length} kills: ${known.length} starts, ${before} mails before the restart, ${smtp.received.length} in all`,
      )
      await rm(folder, { recursive: true })
    })
  }
})
