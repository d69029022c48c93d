import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { Text } from '../../../web/kit/text.tsx'
import type { MonthAnswer } from '../server/month.ts'

/** One line about this month: each count leads to its rows. */
export function ThisMonth({ of }: { of: MonthAnswer }, at: StaffAt) {
  const { from, to } = of
  const { month: labels } = at.words.overview
  const name = new Intl.DateTimeFormat(at.locale, { month: 'long', timeZone: at.zone })
  const linkTo = (
    part: 'impersonations' | 'objections' | 'unapproved',
    condition: Record<string, string> = {},
    path = '/audit',
  ) => {
    const { count, more } = of[part]
    const query = new URLSearchParams({ from: String(from), to: String(to), ...condition })
    return (
      <Link to={`${path}?${query}`}>
        {more ? text(at, labels[part].more, { count }) : counted(at, labels[part], count)}
      </Link>
    )
  }
  return (
    <p>
      <Text
        of={labels.line}
        month={name.format(from)}
        impersonations={linkTo('impersonations')}
        unapproved={linkTo('unapproved', { kind: 'emergency' }, '/records')}
        objections={linkTo('objections', { alarm: 'objection' })}
      />
    </p>
  )
}
