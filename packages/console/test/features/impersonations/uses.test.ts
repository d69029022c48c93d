import { expect } from 'chai'
import type { ImpersonationUse } from 'oidc-provider-impersonation-resource-server'
import { useRecorder } from '../../../src/features/impersonations/server/uses.ts'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import { decoded, idOf, readOn, T, times } from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'

const DAY = 86_400_000

/** A use as the guard of an API tells it. */
const use = (more: object = {}): ImpersonationUse => ({
  useId: '0b7f2f0e-8a53-4e0e-9d43-6f1d0a3c2b1e',
  timeMs: T,
  id: idOf('a'),
  userId: 'alice',
  actor: { sub: 'olivia' },
  client: 'shop',
  audience: 'https://api.example.com',
  method: 'PUT',
  path: '/email',
  status: 403,
  refused: { by: 'impersonation', error: 'access_denied', description: 'not as an operator' },
  ...more,
})

/** Each mistake in words, the member that the message has to name, and the use. */
const MALFORMED: Readonly<Record<string, readonly [member: string, use: unknown]>> = {
  "a time of Python's time.time() * 1000": ['use.timeMs', use({ timeMs: T + 0.123 })],
  'a time in seconds': ['use.timeMs', use({ timeMs: T / 1000 })],
  'a time that no Date can hold': ['use.timeMs', use({ timeMs: 8.64e15 + 1 })],
  'a time after tomorrow': ['use.timeMs', use({ timeMs: Date.now() + 2 * DAY })],
  'a time before the year 2000': ['use.timeMs', use({ timeMs: -1 })],
  'a time as text': ['use.timeMs', use({ timeMs: new Date(T).toISOString() })],
  'no time': ['use.timeMs', use({ timeMs: undefined })],
  'an account id that is a number': ['use.userId', use({ userId: 42 })],
  'no account id': ['use.userId', use({ userId: undefined })],
  'an empty account id': ['use.userId', use({ userId: '' })],
  'an account id without an end': ['use.userId', use({ userId: 'x'.repeat(1025) })],
  'an operator that is a number': ['use.actor.sub', use({ actor: { sub: 42 } })],
  'an operator as text': ['use.actor', use({ actor: 'olivia' })],
  'a client that is an object': ['use.client', use({ client: {} })],
  'an id that is null': ['use.id', use({ id: null })],
  'no useId': ['use.useId', use({ useId: undefined })],
  'an audience that is a list': ['use.audience', use({ audience: ['https://api.example.com'] })],
  'a method that is a number': ['use.method', use({ method: 1 })],
  'a path without an end': ['use.path', use({ path: `/${'x'.repeat(65_536)}` })],
  'a status that is text': ['use.status', use({ status: '200' })],
  'a status that is none': ['use.status', use({ status: 1 })],
  'a refusal that is true': ['use.refused', use({ refused: true })],
  'a refusal by what refuses nothing': [
    'use.refused.by',
    use({ refused: { by: 'me', description: '' } }),
  ],
  'a refusal without words': ['use.refused.description', use({ refused: { by: 'scope' } })],
  'a list': ['use', [use()]],
  text: ['use', 'use'],
  nothing: ['use', null],
}

describe('uses that guards tell', () => {
  it('are recorded with what the guard tells, and nothing else', async () => {
    const store = memoryAudit()
    const told = { ...use(), password: 'secret' }
    const { stdout } = await quietly(() => useRecorder(recorderOn(store))(told))
    const { timeMs, id, userId, actor, client, ...request } = use()
    const entry = { event: 'impersonation.used', timeMs, id, userId, actor, client, use: request }
    expect(decoded(await readOn(store))).to.deep.equal([entry])
    expect(stdout.join('')).not.to.include('secret')
  })

  it('are read once: code of the API cannot change what was checked', async () => {
    const store = memoryAudit()
    const reads: string[] = []
    const told = new Proxy(use(), {
      get(target, name) {
        reads.push(String(name))
        return reads.filter((each) => each === name).length > 1 ? 42 : Reflect.get(target, name)
      },
    })
    const record = useRecorder(recorderOn(store))
    await quietly(() => record(told))
    expect(decoded(await readOn(store))[0]?.userId).to.equal('alice')
    expect(reads.filter((name) => name === 'userId')).to.have.length(1)
  })

  for (const [what, [member, told]] of Object.entries(MALFORMED)) {
    it(`I17: with ${what} are refused by ${member}, and the next is stored`, async () => {
      const store = memoryAudit()
      const record = useRecorder(recorderOn(store))
      const { stdout } = await quietly(async () => {
        const error = await record(told as ImpersonationUse).catch((reason: unknown) => reason)
        expect(error).to.be.instanceOf(TypeError)
        expect(String(error)).to.include(`TypeError: ${member}`)
        await record(use({ timeMs: T + 1 }))
      })
      expect(times(await readOn(store))).to.deep.equal([T + 1])
      expect(stdout, 'nothing of it is in the log').to.have.length(1)
    })
  }
})
