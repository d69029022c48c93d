import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Impersonation } from 'oidc-provider-impersonation'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { freePort, skipWithout } from '../../../../../test/adapters/servers.ts'
import { entriesFor } from '../../../src/ledger/missing.ts'
import { assertWholeLog, readOn } from '../stores/contract/support.ts'
import { providerOn } from './serverless-provider.ts'
import { newPlace, type StorageKind, storeAt } from './soak-stores.ts'

const KINDS = ['sqlite', 'postgres'] as const

/** Each is killed after so many answers, at once or so many milliseconds later: in the middle of others. */
const KILLED: readonly (readonly [answers: number, delay: number])[] = [
  ...[1, 2, 7, 30, 61].map((answers) => [answers, 0] as const),
  ...[1, 3, 5, 8, 13, 21].map((delay) => [20, delay] as const),
]
const RESTARTED = 3

/** Runs a process to its end. Returns what it wrote down, and how it ended. */
async function run(...args: string[]): Promise<{ told: string[]; signal: unknown; code: unknown }> {
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
  return { told: output.split('\n').slice(0, -1), signal, code }
}

/** What the provider knows, by the file of its storage. */
async function knownIn(file: string, port: string): Promise<string[]> {
  const adapter = createSqliteAdapter({ file })
  const { impersonation } = providerOn(adapter, port)
  const known: Impersonation[] = []
  let cursor: string | undefined
  do {
    const page = await impersonation.list({ limit: 100, cursor })
    known.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  adapter.close()
  return known.flatMap(entriesFor).map(({ event, id }) => `${event} ${id}`)
}

async function storedAt(kind: StorageKind, place: string) {
  const { store, close } = await storeAt(kind, place)
  await store.open()
  const entries = (await readOn(store, undefined, 500)).map((entry) =>
    decodeEntry(entry.text ?? ''),
  )
  await assertWholeLog(store)
  await store.close()
  await close()
  return entries.map((entry) => ({
    name: `${entry?.event} ${entry?.id}`,
    isLate: entry?.afterRestart === true,
  }))
}

describe('I13: a process that is killed the moment that an answer arrives', function () {
  this.timeout(180_000)

  for (const kind of KINDS) {
    it(`leaves nothing missing that was answered, and the restart writes the rest once: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      const folder = await mkdtemp(join(tmpdir(), 'audit-killed-'))
      const file = join(folder, 'provider.db')
      // Each time the same issuer: its records are no other's.
      const port = String(await freePort())
      const answered: string[] = []
      for (const [answers, delay] of KILLED) {
        const { told, signal } = await run(kind, place, file, port, String(answers), String(delay))
        expect([signal, told.length >= answers]).to.deep.equal(['SIGKILL', true])
        answered.push(...told)
      }
      const before = new Set((await storedAt(kind, place)).map(({ name }) => name))
      expect(
        answered.filter((name) => !before.has(name)),
        'answered, and missing',
      ).to.deep.equal([])

      const known = await knownIn(file, port)
      const missing = known.filter((name) => !before.has(name))
      const restarts = await Promise.all(
        Array.from({ length: RESTARTED }, () => run(kind, place, file, port, 'restart')),
      )
      expect(restarts.flatMap(({ told }) => told)).to.have.members(missing)
      const after = await storedAt(kind, place)
      // Where all of this takes long, the processes before wrote some, too.
      const late = after.filter(({ name, isLate }) => isLate && !before.has(name))
      expect(late.map(({ name }) => name)).to.have.members(missing)
      const names = after.map(({ name }) => name).filter((name) => known.includes(name))
      expect(names, 'each of them once').to.have.members(known)
      console.log(
        `      ${answered.length} answered, ${known.length} known, ${missing.length} written after the restart`,
      )
      await rm(folder, { recursive: true })
    })
  }
})
