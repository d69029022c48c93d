import { expect } from 'chai'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import {
  act,
  ended,
  idOf,
  issued,
  replayed,
  T,
  used,
} from '../../ledger/stores/contract/support.ts'
import { inDeployment, MANY, MINUTE } from '../notices/telling.ts'

const refusedUse = (time: number, path = '/orders') =>
  used('a', time, { path, refused: { by: 'scope', description: 'd' } })

describe('alarms', () => {
  it(
    'are handed over once each, after they were stored, with time, facts and page; no refused act by itself',
    inDeployment(async (deployment) => {
      const { alarms } = deployment
      deployment.start()
      await deployment.record(
        issued('a', T),
        replayed('a', T + 1),
        used('a', T + 2),
        refusedUse(T + 3),
        ended('a', T + 4, { end: { at: 1, cause: 'user' } }),
        act('objected', 'a', T + 5, { note: 'not me' }),
        act('acknowledged', 'a', T + 6, { alarms: 2 }),
      )
      for (const time of [T + MINUTE, T + 9e8]) await deployment.at(time)
      expect(alarms.map(({ kind, timeMs }) => `${kind} ${timeMs - T}`)).to.have.members([
        'replayed 1',
        'objection 5',
      ])
      expect(alarms[0]?.impersonation).to.include({ id: idOf('a'), replays: 1 })
      expect(alarms[0]?.impersonation).to.not.have.property('deliveries')
      expect(alarms[0]?.url).to.equal(`/audit/${idOf('a')}`)
      expect(new Set(alarms.map(({ id }) => id)).size).to.equal(2)
      expect(alarms[0]?.id).to.match(/^[\w-]{43}$/)
    }),
  )

  it(
    'are not handed over again and again where the same happens again: refusals when they are an alarm together',
    inDeployment(async (deployment) => {
      deployment.start()
      deployment.time = T + MINUTE
      for (const path of MANY.slice(0, 50)) {
        const time = T + Number(path)
        await deployment.record(refusedUse(time, `/${path}`), replayed('a', time))
      }
      await deployment.at(T + MINUTE)
      const kinds = deployment.alarms.map(({ kind }) => kind)
      expect(kinds.filter((each) => each === 'replayed')).to.have.length(1)
      expect(kinds.filter((each) => each === 'refused').length).to.be.within(1, 6)
    }),
  )

  it(
    'that were stored where nobody wants to be told are not handed over later',
    inDeployment(async (deployment) => {
      const { record, close } = recorderOn(deployment.store)
      await record(replayed('a', T))
      await close()
      deployment.start()
      await deployment.record(replayed('b', T))
      await deployment.at(T + 1)
      expect(deployment.sent).to.deep.equal(['b replayed'])
    }),
  )
})
