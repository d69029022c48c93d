import { type ComponentChildren, Fragment } from 'preact'
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
  const { filter, isDays } = of
  const { base, me, words } = at
  const { filter: names } = words.impersonations.audit
  const conditions = conditionsIn(of, at)
  return (
    <search class="filter">
      <form class="filter-box" method="get" action={`${base}/audit`} data-auto>
        <div class="filter-fields first">
          <SearchField
            of={fieldOf(filter, 'text')}
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
              {conditions.map(
                ({ name, field, isOfOthers }) =>
                  !(isOfOthers && me.role === 'operator') && (
                    <Fragment key={name}>{field}</Fragment>
                  ),
              )}
            </div>
          </details>
        </div>
      </form>
      {auditListPath(filter) !== '/audit' && (
        <div class="conditions">
          <ul class="chips" aria-label={names.chips}>
            {conditions.map(
              ({ name, chip }) =>
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

const fieldOf = (filter: RowFilter, name: keyof RowFilter) => ({
  id: `filter-${name}`,
  name,
  value: String(filter[name] ?? ''),
})

interface FilterPart {
  readonly name: keyof RowFilter
  readonly field: ComponentChildren
  /** The words above the list, if it is asked for. */
  readonly chip: string | undefined
  /** Operators see what they did. */
  readonly isOfOthers?: true
}

/** The conditions that are not in the line of the search. */
function conditionsIn({ filter, rows }: AuditAnswer, at: StaffAt): readonly FilterPart[] {
  const { filter: names, outcomes } = at.words.impersonations.audit
  const { ticket, outcome, alarm } = filter
  const chipOf = (member: string, value: string) => text(at, names.memberChip, { member, value })
  const person = (who: 'customer' | 'operator') => {
    const id = filter[who]
    const found = rows.map((row) => row[who]).find((person) => person?.id === id)
    return {
      name: who,
      field: <PersonField of={fieldOf(filter, who)} who={who} label={names[who]} />,
      chip: id && chipOf(names[who], personName(at, found ?? { id })),
    }
  }
  const select = (name: 'alarm' | 'outcome', labels: Readonly<Record<string, string>>) => {
    const options = Object.entries({ '': names.any, ...labels })
    return (
      <SelectField
        of={fieldOf(filter, name)}
        label={names[name]}
        options={options.map(([value, label]) => ({ value, label }))}
      />
    )
  }
  return [
    { ...person('operator'), isOfOthers: true },
    person('customer'),
    {
      name: 'ticket',
      field: <TextField of={fieldOf(filter, 'ticket')} label={names.ticket} />,
      chip: ticket && chipOf(names.ticket, ticket),
    },
    {
      name: 'outcome',
      field: select('outcome', outcomes),
      chip: outcome && chipOf(names.outcome, outcomes[outcome]),
    },
    {
      name: 'alarm',
      field: select('alarm', names.alarms),
      chip: alarm && names.alarms[alarm],
      isOfOthers: true,
    },
    {
      name: 'held',
      field: (
        <label class="choice flag">
          <input type="checkbox" name="held" value="true" checked={filter.held} />
          {names.held}
        </label>
      ),
      chip: filter.held && names.held,
      isOfOthers: true,
    },
  ]
}
