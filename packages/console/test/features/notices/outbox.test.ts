import { expect } from 'chai'
import { AUDIENCES, type AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../src/ledger/store.ts'
import {
  idOf,
  interceptCalls,
  notify,
  put,
  readOn,
  removeOne,
  replayed,
  started,
  T,
  told,
} from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { type Deployment, inDeployment, looks, MANY, MINUTE } from './telling.ts'
import { until } from './until.ts'

/** Messages to the customer or the deployment, each for a ticket of its own. */
const DUE = {
  customer: {
    kind: 'started',
    entry: (name: string, time = T, more: Partial<AuditEntry> = {}) =>
      started(name, time, {
        context: { ticketId: `SUP-${name}` },
        expiresAt: T / 1000 + 9e5,
        ...more,
      }),
    marks: notify(0, ['started']),
  },
  deployment: {
    kind: 'replayed',
    entry: (name: string, time = T, more: Partial<AuditEntry> = {}) => replayed(name, time, more),
    marks: { toTell: [{ to: 'deployment', kind: 'replayed' }] } as const,
  },
}

for (const to of AUDIENCES) {
  const { kind, marks, entry: due } = DUE[to]

  describe(`the outbox of what the ${to} is told`, () => {
    const test = (
      title: string,
      use: (deployment: Deployment) => Promise<void>,
      store?: (deployment: () => Deployment) => AuditStore,
    ) => it(title, async () => expect(await inDeployment(use, store)()).to.deep.equal([]))

    test('tries again what fails, after 1, 5 and 30 minutes, with the same id', async (deployment) => {
      deployment.start()
      deployment.send = () => Promise.reject(new Error('550 no such mailbox'))
      await deployment.record(due('a'))
      deployment.time = T + 1
      const tries = () => deployment.sent.filter((what) => what === `a ${kind}`).length
      for (const [index, pause] of [1, 5, 30].entries()) {
        await deployment.at(deployment.time)
        deployment.time += pause * MINUTE
        await looks()
        expect(tries(), 'not before').to.equal(index + 1)
        deployment.time += 1
        if (index === 2) deployment.send = () => {}
      }
      await deployment.at(deployment.time)
      expect(await deployment.told()).to.include('told a 4')
      expect(tries()).to.equal(4)
      const isNotified = to === 'deployment'
      expect(new Set(deployment.ids).size, 'always the same').to.equal(isNotified ? 1 : 2)
      // A customer who cannot be told is an alarm.
      const alarms = deployment.alarms.map((each) => each.kind)
      expect(new Set(alarms)).to.deep.equal(new Set([isNotified ? kind : 'not_notified']))
    })

    test('is not held up by one that hangs, tells it to stop, and tries it again', async (deployment) => {
      deployment.start({ timeoutMs: 200 })
      const late = Promise.withResolvers<void>()
      let isStopped = false
      deployment.send = (what, signal) => {
        if (!what.startsWith('a')) return undefined
        signal.addEventListener('abort', () => {
          isStopped = true
        })
        return late.promise
      }
      await deployment.record(due('a'), due('b'))
      deployment.time = T + 1
      await until(async () => (await deployment.told()).includes('told b 1'))
      await until(async () => (await deployment.told()).includes('untold a 1'))
      expect(isStopped).to.equal(true)
      // Ten minutes later it succeeds after all: that is ignored, it was told again before.
      deployment.send = () => {}
      deployment.time += 5 * MINUTE
      await until(async () => (await deployment.told()).includes('told a 2'))
      late.resolve()
      await looks()
      const ofA = deployment.sent.filter((what) => what === `a ${kind}`)
      expect(ofA).to.have.length(2)
    })

    test('tells again what a process began that was killed, when its attempt has lost its time', async (deployment) => {
      await put(deployment.store, due('a', T, marks), told('telling', 'a', T + 5000, { to, kind }))
      deployment.start()
      deployment.time = T + 65_000
      await looks()
      expect(deployment.sent).to.deep.equal([])
      await deployment.at(T + 65_001)
      expect(await deployment.told()).to.deep.equal(['telling a 1', 'telling a 2', 'told a 2'])
    })

    /** A storage that does not take for a while that something was told. */
    let isTaken = true
    test(
      'is told once also where the storage takes that for a while not (was: again a minute later)',
      async (deployment) => {
        isTaken = false
        deployment.start()
        await deployment.record(due('a'))
        deployment.time = T + 1
        await until(() => deployment.sent.length === 1)
        await new Promise((resolve) => setTimeout(resolve, 2500))
        isTaken = true
        await until(async () => (await deployment.told()).includes('told a 1'))
        await deployment.at(T + 2 * MINUTE)
        expect(deployment.sent).to.have.length(1)
      },
      () =>
        interceptCalls(memoryAudit(), 'write', ({ entries }) => {
          const isOfTold = entries.some(({ text }) => text.includes('"support.told"'))
          if (isOfTold && !isTaken) throw new Error('connection lost')
        }),
    )

    test('tells all that is due in one look, the oldest first, and so many at once as the option says', async (deployment) => {
      await put(deployment.store, ...MANY.map((name, index) => due(name, T + index, marks)))
      deployment.time = T + MANY.length
      let [open, most] = [0, 0]
      deployment.send = async () => {
        open += 1
        most = Math.max(most, open)
        await looks()
        open -= 1
      }
      // The next look comes in an hour.
      deployment.start({ atOnce: 50, interval: 3_600_000 })
      await until(async () => (await deployment.told()).length === 2 * MANY.length)
      expect(most).to.equal(50)
      // A younger one overtakes only those that are under way with it.
      for (const [index, name] of MANY.entries()) {
        expect(index - deployment.sent.indexOf(`${name} ${kind}`), name).to.be.below(50)
      }
    })

    test('leaves nothing of what was erased while it was told', async (deployment) => {
      const sending = Promise.withResolvers<void>()
      deployment.start()
      deployment.send = () => sending.promise
      await deployment.record(due('a'))
      deployment.time = T + 1
      await until(() => deployment.sent.length > 0)
      expect(await removeOne(deployment.store, idOf('a'))).to.equal(1)
      sending.resolve()
      await looks()
      expect(await deployment.store.row(idOf('a'))).to.equal(undefined)
      const texts = (await readOn(deployment.store)).flatMap(({ text }) => text ?? [])
      expect(texts.join('\n')).not.to.match(/alice|support\./)
    })

    test(
      'tells once what two processes find in the same moment, and goes on where another one took it',
      async (deployment) => {
        await put(deployment.store, ...MANY.map((name, index) => due(name, T + index, marks)))
        deployment.time = T + MANY.length
        deployment.start()
        deployment.start()
        await deployment.at(deployment.time)
        await looks()
        expect(deployment.sent.toSorted()).to.deep.equal(
          MANY.map((name) => `${name} ${kind}`).toSorted(),
        )
      },
      () => {
        const store = memoryAudit()
        const both = Promise.withResolvers<void>()
        let looked = 0
        const find: AuditStore['find'] = async (...args) => {
          const found = await store.find(...args)
          if (args[0].due?.to !== to || args[1].limit === 1) return found
          looked += 1
          if (looked === 2) both.resolve()
          await both.promise
          return found
        }
        return { ...store, find }
      },
    )

    test(
      'tells nothing in an attempt that lost its time while it was stored',
      async (deployment) => {
        deployment.start()
        await deployment.record(due('a'))
        deployment.time = T + 1
        await until(async () => (await deployment.told()).length === 1)
        await looks()
        expect(deployment.sent).to.deep.equal([])
        deployment.time += 1
        await until(async () => (await deployment.told()).length === 3)
        expect(await deployment.told()).to.deep.equal(['telling a 1', 'telling a 2', 'told a 2'])
      },
      (deployment) => {
        const store = memoryAudit()
        const write: AuditStore['write'] = async (batch, deadline) => {
          const answer = await store.write(batch, deadline)
          const isFirst = batch.entries.some(({ text }) => text.includes('"attempt":1'))
          if (isFirst) deployment().time += MINUTE
          return answer
        }
        return { ...store, write }
      },
    )

    test('counts as failed what rejects with anything, or throws', async (deployment) => {
      const none = { [Symbol.toPrimitive]: () => expect.fail('no') }
      const thrown = [undefined, Object.create(null), none]
      thrown.push(Object.assign(new Error('x'), { message: Symbol('x') }))
      deployment.start()
      deployment.send = (what) => Promise.reject(thrown[Number(what.split(' ')[0])])
      await deployment.record(...thrown.map((_, index) => due(`${index}`)))
      await deployment.at(T + 1)
      const failed = (await deployment.told()).filter((each) => each.startsWith('untold'))
      expect(failed).to.have.length(thrown.length)
    })

    let isBroken = false
    const who = to === 'customer' ? 'customers' : 'leads'
    it('waits while the storage fails, and goes on when it works', async () => {
      const stderr = await inDeployment(
        async (deployment) => {
          deployment.start()
          await deployment.record(due('a'))
          isBroken = true
          deployment.time = T + 1
          await looks()
          expect(deployment.sent).to.deep.equal([])
          isBroken = false
          await deployment.at(T + 1)
          expect(deployment.sent).to.deep.equal([`a ${kind}`])
        },
        () =>
          interceptCalls(memoryAudit(), 'find', () => {
            if (isBroken) throw new Error('connection lost')
          }),
      )()
      expect(stderr.filter((line) => line.includes(who))).to.deep.equal([
        `audit: ${who} are not told, until it works: connection lost`,
        `audit: ${who} are told again`,
      ])
    })
  })
}
