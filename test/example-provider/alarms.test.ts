import { expect } from 'chai'
import { onAlarm } from '../../example-provider/console.ts'
import { quietly } from '../../packages/console/test/support/quietly.ts'

describe('example provider: an alarm in the log', () => {
  it('is one line without signs that a terminal obeys, or that turn the direction of writing', async () => {
    const id = 'eve\u202e\u2066\u200f\u2028\n\u001b[31m'
    const counts = { reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 }
    const impersonation = { id: 'x', at: 0, lastAt: 0, ...counts, customer: { id } }
    const { stdout } = await quietly(() =>
      onAlarm({
        ...{ id: 'x', kind: 'objection', rank: 'urgent', timeMs: 0, impersonation },
        url: 'https://id.example.com/console/audit/x',
      }),
    )
    expect(stdout).to.deep.equal([
      `alarm: objection, no operator as eve${String.raw`\u202e\u2066\u200f\u2028\u000a\u001b`}[31m: https://id.example.com/console/audit/x`,
    ])
  })
})
