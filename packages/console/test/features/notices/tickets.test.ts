import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { ended, started, T } from '../../ledger/stores/contract/support.ts'
import { inDeployment, MINUTE } from './telling.ts'

const SECOND = 1000
/** Until `until` at most. All are for SUP-1. */
const begun = (name: string, at: number, until = 600 * SECOND, more: Partial<AuditEntry> = {}) =>
  started(name, T + at, { expiresAt: (T + until) / 1000, ...more })
const over = (name: string, at: number) => ended(name, T + at)
const elsewhere = { context: { ticketId: 'SUP-2' } }

/** Events; and all messages until a time since the one before. */
type Story = readonly (AuditEntry | readonly [until: number, ...told: string[]])[]

const STORIES: Readonly<Record<string, { digest: number; story: Story }>> = {
  'the start, and the end with a little time for what is stored of it, once each': {
    digest: 0,
    story: [
      begun('a', 0),
      [1, 'a started'],
      over('a', MINUTE),
      [MINUTE + 10_000],
      [MINUTE + 10_001, 'a ended'],
      [9e8],
    ],
  },
  'start and end as one where it is over within the digest, and an end by time': {
    digest: 300,
    story: [
      begun('a', 0),
      begun('b', 0, 900 * SECOND, elsewhere),
      over('a', 299 * SECOND),
      [300_001, 'b started'],
      [599_000],
      [599_001, 'a ended'],
      [1_200_000],
      [1_200_001, 'b ended'],
      [9e8],
    ],
  },
  'one start and one end, whatever is started in between, by whomever and with more rights': {
    digest: 0,
    story: [
      begun('a', 0, 900 * SECOND, { scope: 'read' }),
      [1, 'a started'],
      over('a', 60_000),
      begun('b', 65_000, 900 * SECOND, { actor: { sub: 'oscar' } }),
      [75_001],
      over('b', 80_000),
      begun('c', 90_000, 900 * SECOND, { scope: 'read write' }),
      [100_001],
      over('c', 120_000),
      [130_001, 'a,b,c ended'],
      [9e8],
    ],
  },
  'a ticket however it is written': {
    digest: 0,
    story: [
      begun('a', 0),
      [1, 'a started'],
      begun('b', 2000, 600 * SECOND, { context: { ticketId: 'sup－1 ' } }),
      [3000],
      over('a', 4000),
      over('b', 5000),
      [16_000, 'a,b ended'],
    ],
  },
  'what begins again after it was over, and the whole ticket at its end (H1)': {
    digest: 0,
    story: [
      begun('a', 0),
      over('a', 1000),
      [11_001, 'a ended'],
      begun('b', 20_000),
      [20_001, 'a,b started'] as const,
      over('b', 30_000),
      [40_001, 'a,b ended'],
      [9e8],
    ],
  },
  'that it began where it goes on for longer than the digest': {
    digest: 600,
    story: [
      begun('a', 0),
      over('a', 9 * MINUTE),
      begun('b', 9 * MINUTE + 1, 20 * MINUTE),
      [19 * MINUTE],
      [19 * MINUTE + 1, 'a,b started'],
      [29 * MINUTE],
      [30 * MINUTE + 1, 'a,b ended'],
      [9e8],
    ],
  },
  'the end by what is over last, where two run at once': {
    digest: 0,
    story: [
      begun('a', 0),
      [1, 'a started'],
      begun('b', 1000),
      over('b', 2000),
      [20_000] as const,
      over('a', 60_000),
      [70_001, 'a,b ended'],
      [9e8],
    ],
  },
  'anew what started before it was told to be over, and was stored later': {
    digest: 0,
    story: [
      begun('a', 0),
      over('a', 1000),
      [11_001, 'a ended'],
      begun('b', 5000),
      [11_002, 'a,b started'],
      over('b', 12_000),
      [22_001, 'a,b ended'],
    ],
  },
}

describe('what a customer is told of a ticket', () => {
  for (const [title, { digest, story }] of Object.entries(STORIES)) {
    it(`is ${title}`, async () => {
      const stderr = await inDeployment(async (deployment) => {
        deployment.start({ digest })
        for (const step of story) {
          if ('event' in step) await deployment.record(step)
          else {
            const [time, ...told] = step
            const before = deployment.sent.length
            await deployment.at(T + time)
            expect(deployment.sent.slice(before), `by ${time}`).to.deep.equal(told)
          }
        }
      })()
      expect(stderr).to.deep.equal([])
    })
  }
})
