import { KINDS, SAID_EVENTS } from 'oidc-provider-impersonation-verify/format'
import { type CsvValue, csvTime } from '../../ledger/keeping/csv.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'

/** The members of a record, in the order of the card and of the file, and how each is written. */
export const RECORD_FIELDS = {
  id: 'id',
  kind: 'mark',
  state: 'mark',
  operator: 'person',
  customer: 'person',
  ticket: 'ticket',
  reason: 'text',
  why: 'text',
  application: 'application',
  resource: 'code',
  scope: 'code',
  for: 'seconds',
  duration: 'seconds',
  requestedAt: 'time',
  lapsesAt: 'time',
  grantedAt: 'time',
  until: 'time',
  unapproved: 'mark',
  by: 'person',
  note: 'text',
} as const satisfies Partial<Record<keyof RecordAnswer, string>>

export type RecordField = keyof typeof RECORD_FIELDS

/** The words of a record by the need that they decide, if they do. */
const SAID = SAID_EVENTS.flatMap((event) => {
  const { isOfNeed } = KINDS.approval.says[event] ?? {}
  const needs = isOfNeed ? (['second_person', 'user'] as const) : [undefined]
  return needs.map((need) => ({ event, need }))
})

/** One line of the file, by the names of the columns. */
export function recordColumns(record: Partial<RecordAnswer>): Record<string, CsvValue> {
  return Object.assign(
    {},
    ...Object.entries(RECORD_FIELDS).map(([name, shape]) => {
      const value = record[name as RecordField]
      const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (shape === 'time') return { [column]: csvTime(value as number | undefined) }
      return typeof value === 'object' || shape === 'person'
        ? personColumns(column, value as RecordAnswer['operator'])
        : { [column]: value }
    }),
    ...SAID.map(({ event, need }) => {
      const said = record.said?.find((each) => each.event === event && each.need === need)
      const column = need === 'user' ? `customer_${event}` : event
      return {
        [column]: csvTime(said?.at),
        ...personColumns(`${column}_by`, said?.by),
        [`${column}_note`]: said?.note,
      }
    }),
  )
}

const personColumns = (name: string, person: RecordAnswer['operator']) => ({
  [`${name}_id`]: person?.id,
  [`${name}_name`]: person?.name,
})
