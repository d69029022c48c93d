import type { RowFilter } from '../../../../ledger/filters.ts'
import { locale, text, words } from '../../../../web/kit/text.tsx'
import type { FilterProps } from './filter.ts'

const { filter: names } = words.impersonations.audit

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** What the filter asks for, each condition with a button that takes it away. */
export function Conditions({
  filter,
  people,
  onChange,
}: Pick<FilterProps, 'filter' | 'onChange' | 'people'>) {
  return (
    <ul class="chips" aria-label={names.chips}>
      {chipsOf(filter, people).map(({ name, members }) => (
        <li key={members[0]}>
          <button
            type="button"
            class="chip"
            aria-label={text(names.without, { condition: name })}
            onClick={() => onChange(without(filter, members))}
          >
            <bdi>{name}</bdi>
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface Chip {
  readonly name: string
  readonly members: readonly (keyof RowFilter)[]
}

/** One for each condition: a span of days is one. */
export function chipsOf(filter: RowFilter, people: FilterProps['people']): Chip[] {
  const { operator, customer, ticket, outcome, alarm, held, unapproved } = filter
  const of = (member: string, value: string) => text(names.memberChip, { member, value })
  const conditions: (Chip | undefined)[] = [
    filter.text === undefined
      ? undefined
      : { name: of(names.text, filter.text), members: ['text'] },
    whenOf(filter),
    operator === undefined
      ? undefined
      : {
          name: of(
            words.impersonations.audit.impersonation.operator,
            people.operators.get(operator) ?? operator,
          ),
          members: ['operator'],
        },
    customer === undefined
      ? undefined
      : {
          name: of(
            words.impersonations.audit.impersonation.customer,
            people.customers.get(customer) ?? customer,
          ),
          members: ['customer'],
        },
    ticket === undefined ? undefined : { name: of(names.ticket, ticket), members: ['ticket'] },
    outcome && {
      name: of(names.outcome, words.impersonations.audit.outcomes[outcome]),
      members: ['outcome'],
    },
    alarm && {
      name: {
        any: names.withAlarm,
        objection: names.objection,
        open: names.openAlarm,
      }[alarm],
      members: ['alarm'],
    },
    unapproved && { name: words.web.unapproved.emergency, members: ['unapproved'] },
    held && { name: names.held, members: ['held'] },
  ]
  return conditions.filter((condition) => condition !== undefined)
}

/** Whole days of the reader's zone as days, and other moments with their time. */
function whenOf({ from, to }: RowFilter): Chip | undefined {
  const isWhole = [from, to].every((time) => time === undefined || isMidnight(time))
  const members = ['from', 'to'] as const
  if (from !== undefined && to !== undefined) {
    return { name: isWhole ? day.formatRange(from, to - 1) : moment.formatRange(from, to), members }
  }
  const format = isWhole ? day : moment
  if (from !== undefined)
    return { name: text(names.fromChip, { from: format.format(from) }), members }
  if (to !== undefined) return { name: text(names.toChip, { to: format.format(to) }), members }
  return undefined
}

function isMidnight(time: number): boolean {
  const date = new Date(time)
  return date.getHours() + date.getMinutes() + date.getSeconds() + date.getMilliseconds() === 0
}

function without(filter: RowFilter, members: readonly (keyof RowFilter)[]): RowFilter {
  return Object.fromEntries(
    Object.entries(filter).filter(([name]) => !members.some((member) => member === name)),
  )
}
