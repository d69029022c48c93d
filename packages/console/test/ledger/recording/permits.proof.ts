import { once } from 'node:events'
import { expect } from 'chai'
import { decide, permitOf } from '../stores/contract/permits.ts'
import { assertWholeLog, readOn } from '../stores/contract/support.ts'
import { onEachKind, started, withStore } from './soak-stores.ts'

/** Each is killed so many milliseconds after that many rounds of answers. */
const KILLED = [
  [1, 0],
  [5, 1],
  [10, 2],
  [20, 4],
] as const
const PERMITS_TO_RACE_FOR = 100

describe('decisions on permits by several processes', function () {
  this.timeout(180_000)

  onEachKind.it(
    'are made once of two at the same moment, and both see the first',
    async (kind, place) => {
      await withStore(kind, place, async (store) => {
        for (let number = 0; number < PERMITS_TO_RACE_FOR; number += 1) {
          await decide(store, permitOf(`race ${number}`))
        }
      })
      const leads = [1, 2].map(() =>
        started('permits-process.ts', kind, place, 'race', PERMITS_TO_RACE_FOR),
      )
      await Promise.all(leads.map(({ stdout }) => once(stdout, 'data')))
      for (const { stdin } of leads) stdin.write('go\n')
      const [one = [], two = []] = await Promise.all(
        leads.map(async ({ lines, ended }): Promise<[boolean, string][]> => {
          await ended
          return JSON.parse(lines.at(-1) ?? '')
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
    },
  )

  onEachKind.it('are whole where a process is killed', async (kind, place) => {
    const answered: string[] = []
    for (const [rounds, delay] of KILLED) {
      const { lines, ended } = started('permits-process.ts', kind, place, 'kill', rounds, delay)
      expect(await ended).to.deep.equal([null, 'SIGKILL'])
      answered.push(...lines)
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
})
