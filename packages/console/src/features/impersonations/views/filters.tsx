import type { RowFilter } from '../../../ledger/filters.ts'
import { type StaffAt, text } from '../../../web/kit/at.ts'
import { PersonField, SearchField, SelectField, TextField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath } from '../../../web/kit/paths.ts'
import { personName } from '../../../web/kit/people.tsx'
import { WhenField } from '../../../web/kit/when-field.tsx'
import type { AuditAnswer } from '../server/audit.ts'

/** The filter of the audit. What is asked most often stands in one line. */
export function Filters({ of }: { of: AuditAnswer }, at: StaffAt) {
  const { filter, isDays, rows } = of
  const { base, me, words } = at
  const { filter: names, outcomes } = words.impersonations.audit
  // Operators see what they did.
  const isOfOthers = me.role !== 'operator'
  const field = (name: keyof RowFilter) => ({
    id: `filter-${name}`,
    name,
    value: String(filter[name] ?? ''),
  })
  const person = (who: 'customer' | 'operator') => (
    <PersonField of={field(who)} who={who} label={names[who]} />
  )
  const select = (name: 'alarm' | 'outcome', labels: Readonly<Record<string, string>>) => (
    <SelectField
      of={field(name)}
      label={names[name]}
      options={Object.entries({ '': names.any, ...labels })}
    />
  )
  const chip = (member: string, value: string | undefined) =>
    value && text(at, names.memberChip, { member, value })
  const personOf = (who: 'customer' | 'operator') => {
    const id = filter[who]
    const found = rows.map((row) => row[who]).find((person) => person?.id === id)
    return id && personName(at, found ?? { id })
  }
  const { ticket, outcome, alarm, held } = filter
  // The conditions that are asked for, but for those in the line of the search.
  const chips = {
    operator: chip(names.operator, personOf('operator')),
    customer: chip(names.customer, personOf('customer')),
    ticket: chip(names.ticket, ticket),
    outcome: chip(names.outcome, outcome && outcomes[outcome]),
    alarm: alarm && names.alarms[alarm],
    held: held && names.held,
  }
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
              {isOfOthers && person('operator')}
              {person('customer')}
              <TextField of={field('ticket')} label={names.ticket} />
              {select('outcome', outcomes)}
              {isOfOthers && (
                <>
                  {select('alarm', names.alarms)}
                  <label class="choice flag">
                    <input type="checkbox" name="held" value="true" checked={held} />
                    {names.held}
                  </label>
                </>
              )}
            </div>
          </details>
        </div>
      </form>
      {auditListPath(filter) !== '/audit' && (
        <div class="conditions">
          <ul class="chips" aria-label={names.chips}>
            {Object.entries(chips).map(
              ([name, chip]) =>
                chip && (
                  <li key={name}>
                    <Link
                      to={auditListPath({ ...filter, [name]: undefined })}
                      class="chip"
                      label={text(at, names.without, { condition: chip })}
                    >
                      <bdi>{chip}</bdi>
                      <span aria-hidden="true">×</span>
                    </Link>
                  </li>
                ),
            )}
          </ul>
          <Link to="/audit">{names.clear}</Link>
        </div>
      )}
    </search>
  )
}
