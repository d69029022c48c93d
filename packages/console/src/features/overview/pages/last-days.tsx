import { words } from '../../../web/kit/text.tsx'
import { useLive } from '../../../web/session/live.ts'
import { Loaded } from '../../../web/session/load.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { OverviewAnswer } from '../server/answers.ts'
import { DayChart, type Series } from './day-chart.tsx'

/** How often the counts of today are read again although nothing began or ended, in milliseconds. */
const LOOK_EVERY_MS = 60_000

type Day = OverviewAnswer['days'][number]

const { starts, exceptions, loading } = words.overview
const { outcomes } = words.impersonations.audit

/** The outcomes that stand in one part of a bar, from below. */
const ENDINGS = [
  { label: starts.support, tone: 'plain', outcomes: ['requested', 'operator_signed_out'] },
  { label: outcomes.expired, tone: 'soft', outcomes: ['expired'] },
  { label: starts.customer, tone: 'warning', outcomes: ['user'] },
  { label: starts.rule, tone: 'alarm', outcomes: ['policy', 'replay'] },
  { label: outcomes.running, tone: 'good', outcomes: ['running'] },
] as const

const STARTS: readonly Series<Day>[] = ENDINGS.map(({ label, tone, outcomes: joined }) => ({
  ...{ label, tone },
  of: (day) => joined.reduce((sum, outcome) => sum + (day.starts[outcome] ?? 0), 0),
}))

const EXCEPTIONS: readonly Series<Day>[] = [
  { label: exceptions.unapproved, tone: 'alarm', of: ({ unapproved }) => unapproved },
  { label: exceptions.refused, tone: 'warning', of: ({ refused }) => refused },
  { label: exceptions.objected, tone: 'plain', of: ({ objected }) => objected },
]

/** Two pictures of the last days, each with its table. */
export function LastDays({ session }: { session: Session }) {
  const loaded = useLive<OverviewAnswer>(session, '/overview', {
    concerns: ({ isOfRunning }) => isOfRunning,
    every: LOOK_EVERY_MS,
    whileSeen: true,
  })
  return (
    <Loaded of={loaded} label={loading} lines={6}>
      {({ days }) => (
        <div class="charts">
          <DayChart title={starts.title} days={days} series={STARTS} />
          <DayChart title={exceptions.title} days={days} series={EXCEPTIONS} />
        </div>
      )}
    </Loaded>
  )
}
