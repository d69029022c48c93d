import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { decide, permitOf } from '../stores/contract/permits.ts'
import { assertWholeLog, readOn } from '../stores/contract/support.ts'
import { newPlace, type StorageKind, storeAt } from './soak-stores.ts'

const KINDS = ['sqlite', 'postgres'] as const

/** Each is killed so many milliseconds after that many rounds of answers. */
const KILLED = [
  [1, 0],
  [5, 1],
  [10, 2],
  [20, 4],
] as const
const PERMITS_TO_RACE_FOR = 100

function start(...args: string[]) {
  const child = fork(new URL('permits-process.ts', import.meta.url), args, {
    execArgv: ['--conditions=oidc-provider-impersonation'],
    silent: true,
  })
  const { stdout, stdin } = child
  if (!stdout || !stdin) return expect.fail('no output')
  return { stdin, stdout, output: text(stdout), ended: once(child, 'exit') }
}

async function withStore<T>(
  kind: StorageKind,
  place: string,
  work: (store: Awaited<ReturnType<typeof storeAt>>['store']) => Promise<T>,
) {
  const { store, close } = await storeAt(kind, place)
  await store.open()
  try {
    return await work(store)
  } finally {
    await store.close()
    await close()
  }
}

describe('decisions on permits by several processes', function () {
  this.timeout(180_000)

  for (const kind of KINDS) {
    it(`are made once of two at the same moment, and both see the first: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      await withStore(kind, place, async (store) => {
        for (let number = 0; number < PERMITS_TO_RACE_FOR; number += 1) {
          await decide(store, permitOf(`race ${number}`))
        }
      })
      const leads = [1, 2].map(() => start(kind, place, 'race', String(PERMITS_TO_RACE_FOR)))
      await Promise.all(leads.map(({ stdout }) => once(stdout, 'data')))
      for (const { stdin } of leads) stdin.write('go\n')
      const [one = [], two = []] = await Promise.all(
        leads.map(async ({ output, ended }) => {
          await ended
          const answers: [boolean, string][] = JSON.parse((await output).split('\n').at(-2) ?? '')
          return answers
        }),
      )
      expect(one).to.have.length(PERMITS_TO_RACE_FOR)
      for (const [index, [isFirst, seen]] of one.entries()) {
        expect(two[index]).to.deep.equal([!isFirst, seen])
      }
      await withStore(kind, place, async (store) => {
        expect(await readOn(store, undefined, 500)).to.have.length(2 * PERMITS_TO_RACE_FOR)
        await assertWholeLog(store)
      })
    })

    it(`are whole where a process is killed: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      const answered: string[] = []
      for (const [rounds, delay] of KILLED) {
        const { output, ended } = start(kind, place, 'kill', String(rounds), String(delay))
        expect(await ended).to.deep.equal([null, 'SIGKILL'])
        answered.push(...(await output).split('\n').slice(0, -1))
      }
      await withStore(kind, place, async (store) => {
        const { permits } = await store.permits({}, { limit: 1e6 })
        const ids = permits.map(({ id }) => id)
        expect(ids).to.include.members(answered)
        const entries = await readOn(store, undefined, 500)
        expect(entries.map(({ row }) => row)).to.have.members(ids)
        await assertWholeLog(store)
      })
    })
  }
})
