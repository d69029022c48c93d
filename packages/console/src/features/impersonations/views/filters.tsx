import type { RowFilter } from '../../../ledger/filters.ts'
import type { AuditAnswer } from '../../../web/answers.ts'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { PersonField, SearchField, SelectField, TextField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath } from '../../../web/kit/paths.ts'
import { personName } from '../../../web/kit/people.tsx'
import { WhenField } from '../../../web/kit/when-field.tsx'

/** The filter of the audit. What is asked most often stands in one line. */
export function Filters({ of }: { of: AuditAnswer }, at: StaffAt) {
  const { filter, isDays } = of
  const { base, me, words } = at
  const { filter: names, outcomes } = words.impersonations.audit
  // Operators see what they did.
  const isOwn = me.role === 'operator'
  const field = (name: keyof RowFilter) => ({
    ...{ id: `filter-${name}`, name, value: String(filter[name] ?? '') },
  })
  const conditions = conditionsOf(of, at)
  return (
    <search class="filter">
      <form class="filter-box" method="get" action={`${base}/audit`} data-auto>
        <div class="filter-fields first">
          <SearchField
            of={field('text')}
            label={names.text}
            placeholder={names.textHelp}
            autofocus={me.role === 'auditor'}
          />
          <WhenField range={filter} isDays={isDays} />
          <noscript>
            <button type="submit" class="button">
              {names.text}
            </button>
          </noscript>
          <details class="more-filters">
            <summary class="button">{names.title}</summary>
            <div class="filter-fields">
              {!isOwn && (
                <PersonField of={field('operator')} who="operator" label={names.operator} />
              )}
              <PersonField of={field('customer')} who="customer" label={names.customer} />
              <TextField of={field('ticket')} label={names.ticket} />
              <SelectField
                of={field('outcome')}
                label={names.outcome}
                options={[
                  { value: '', label: names.anyOutcome },
                  ...Object.entries(outcomes).map(([value, label]) => ({ value, label })),
                ]}
              />
              {!isOwn && (
                <SelectField
                  of={field('alarm')}
                  label={names.alarm}
                  options={[
                    { value: '', label: names.anyAlarm },
                    ...Object.entries(ALARM_NAMES).map(([value, name]) => ({
                      value,
                      label: names[name],
                    })),
                  ]}
                />
              )}
              <Flag of={field('unapproved')} label={words.web.unapproved.emergency} />
              {!isOwn && <Flag of={field('held')} label={names.held} />}
            </div>
          </details>
        </div>
      </form>
      {auditListPath(filter) !== '/audit' && (
        <div class="conditions">
          {conditions.length > 0 && (
            <ul class="chips" aria-label={names.chips}>
              {conditions.map(({ label, without }) => (
                <li key={label}>
                  <Link
                    to={auditListPath(without)}
                    class="chip"
                    label={text(at, names.without, { condition: label })}
                  >
                    <bdi>{label}</bdi>
                    <span aria-hidden="true">×</span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <Link to="/audit">{names.clear}</Link>
        </div>
      )}
    </search>
  )
}

const ALARM_NAMES = { any: 'withAlarm', open: 'openAlarm', objection: 'objection' } as const

/** A condition that holds, or is not asked for. */
function Flag({ of, label }: { of: { name: string; value: string }; label: string }) {
  return (
    <label class="choice flag">
      <input type="checkbox" name={of.name} value="true" checked={of.value === 'true'} />
      {label}
    </label>
  )
}

interface FilterPart {
  readonly label: string
  /** The filter without this condition. */
  readonly without: RowFilter
}

/** The conditions that are not in the line of the search. */
function conditionsOf({ filter, rows }: AuditAnswer, at: At): readonly FilterPart[] {
  const { filter: names, outcomes } = at.words.impersonations.audit
  const { operator, customer, ticket, outcome, alarm, unapproved, held } = filter
  const labelled = (member: string, value: string | undefined) =>
    value === undefined ? value : text(at, names.memberChip, { member, value })
  const named = (who: 'customer' | 'operator', id: string | undefined) => {
    const row = rows.find((row) => row[who]?.id === id)
    return id === undefined ? id : labelled(names[who], personName(at, row?.[who] ?? { id }))
  }
  const labels: { readonly [K in keyof RowFilter]: string | undefined } = {
    operator: named('operator', operator),
    customer: named('customer', customer),
    ticket: labelled(names.ticket, ticket),
    outcome: outcome && labelled(names.outcome, outcomes[outcome]),
    alarm: alarm && names[ALARM_NAMES[alarm]],
    unapproved: unapproved && at.words.web.unapproved.emergency,
    held: held && names.held,
  }
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : { label, without: { ...filter, [name]: undefined } },
  )
}
