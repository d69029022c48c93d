import { join } from 'node:path'
import { expect } from 'chai'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { freePort } from '../../../../../test/adapters/servers.ts'
import { newFolder } from '../../../../../test/support/folder.ts'
import { readAll } from '../../../src/kernel/pages.ts'
import { entriesFor } from '../../../src/ledger/missing.ts'
import { assertWholeLog, decoded, many, readOn } from '../stores/contract/support.ts'
import { providerOn } from './serverless-provider.ts'
import { onEachKind, type StorageKind, started, withStore } from './soak-stores.ts'

/** Each is killed after so many answers, at once or so many milliseconds later: in the middle of others. */
const KILLED: readonly (readonly [answers: number, delay: number])[] = [
  ...[1, 2, 7, 30, 61].map((answers) => [answers, 0] as const),
  ...[1, 3, 5, 8, 13, 21].map((delay) => [20, delay] as const),
]
const RESTARTED = 3

/** Runs a process to its end. Returns what it wrote down, and how it ended. */
async function run(...args: readonly (number | string)[]) {
  const { lines, ended } = started('killed-process.ts', ...args)
  const [code, signal] = await ended
  if (code) expect.fail('the process failed')
  return { told: lines, signal }
}

/** Reads the impersonations of the provider from the file of its storage. */
async function knownIn(file: string, port: number) {
  const adapter = createSqliteAdapter({ file })
  const { impersonation } = providerOn(adapter, String(port))
  const read = (cursor: string | undefined) => impersonation.list({ limit: 100, cursor })
  const known = await readAll(read, ({ items }) => items)
  adapter.close()
  return known.flatMap(entriesFor).map(({ event, id }) => `${event} ${id}`)
}

const storedAt = (kind: StorageKind, place: string) =>
  withStore(kind, place, async (store) => {
    await assertWholeLog(store)
    const entries = decoded(await readOn(store, undefined, 500))
    return entries.map((entry) => ({
      name: `${entry?.event} ${entry?.id}`,
      isLate: entry?.afterRestart === true,
    }))
  })

describe('I13: a process that is killed the moment that an answer arrives', function () {
  this.timeout(180_000)

  onEachKind.it(
    'leaves nothing missing that was answered, and the restart writes the rest once',
    async (kind, place) => {
      const file = join(newFolder(), 'provider.db')
      // Each time the same issuer: its records are no other's.
      const port = await freePort()
      const answered: string[] = []
      for (const [answers, delay] of KILLED) {
        const { told, signal } = await run(kind, place, file, port, answers, delay)
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
        many(RESTARTED, () => run(kind, place, file, port, 'restart')),
      )
      expect(restarts.flatMap(({ told }) => told)).to.have.members(missing)
      const after = await storedAt(kind, place)
      // If all of this takes long, the processes before wrote some, too.
      const late = after.filter(({ name, isLate }) => isLate && !before.has(name))
      expect(late.map(({ name }) => name)).to.have.members(missing)
      const names = after.map(({ name }) => name).filter((name) => known.includes(name))
      expect(names, 'each of them once').to.have.members(known)
      console.log(
        `      ${answered.length} answered, ${known.length} known, ${missing.length} written after the restart`,
      )
    },
  )
})
