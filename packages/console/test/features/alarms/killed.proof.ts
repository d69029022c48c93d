import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { assertWholeLog } from '../../ledger/stores/contract/support.ts'

/** Runs a process to its end. Returns what it posted. */
async function run(...args: string[]): Promise<{ posted: string[]; signal: unknown }> {
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
  return { posted: output.split('\n').filter((line) => /^\w+ [\w-]{43}$/.test(line)), signal }
}

describe('a process that posts alarms and approvals, and is killed', function () {
  this.timeout(300_000)

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`loses none: the next process posts it, with the same id: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const before: string[] = []
      for (const mode of ['sending', 'sent', 'sending', 'sent']) {
        const { posted, signal } = await run(kind, storage.place, mode)
        expect(signal).to.equal('SIGKILL')
        before.push(...posted)
      }
      expect(before, 'each that was sent').to.have.length(2)
      const { posted } = await run(kind, storage.place, 'restart')
      // What was sent, and not stored as sent, comes again.
      expect(posted).to.include.members(before)
      expect(new Set(posted).size, 'one call each in the end').to.equal(posted.length)
      expect((await run(kind, storage.place, 'restart')).posted, 'and no more').to.deep.equal([])
      const { store, close } = await storeAt(kind, storage.place)
      await store.open()
      const page = { limit: 100, now: 0 }
      const { rows } = await store.find({ alarm: 'any' }, page)
      const { permits } = await store.permits({}, page)
      expect(posted, 'each is told').to.have.length(rows.length + permits.length)
      await assertWholeLog(store)
      await store.close()
      await close()
    })
  }
})
