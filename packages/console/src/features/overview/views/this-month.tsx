import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { pathWith } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { timeText } from '../../../web/kit/time.tsx'
import type { MonthAnswer } from '../server/month.ts'

/** One line about this month: each count leads to its rows. */
export function ThisMonth({ of }: { of: MonthAnswer }, at: StaffAt) {
  const { from, to } = of
  const { month: labels } = at.words.overview
  const linkTo = (
    part: 'impersonations' | 'objections' | 'unapproved',
    condition: Record<string, string> = {},
    path = '/audit',
  ) => {
    const { count, more } = of[part]
    return (
      <Link to={pathWith(path, { from, to, ...condition })}>
        {more ? text(at, labels[part].more, { count }) : counted(at, labels[part], count)}
      </Link>
    )
  }
  return (
    <p>
      <Text
        of={labels.line}
        month={timeText(at, from, 'month')}
        impersonations={linkTo('impersonations')}
        unapproved={linkTo('unapproved', { kind: 'emergency' }, '/records')}
        objections={linkTo('objections', { alarm: 'objection' })}
      />
    </p>
  )
}
