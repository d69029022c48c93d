import { ALL_OUTCOMES } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import type { RowFilter } from '../../../../ledger/filters.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { Field } from '../../../../web/kit/field.tsx'
import { PersonInput } from '../../../../web/kit/person-input.tsx'
import { counted, words } from '../../../../web/kit/text.tsx'
import { TextFilter } from '../../../../web/kit/text-filter.tsx'
import { WhenFilter } from '../../../../web/kit/when-filter.tsx'
import { suggestCustomers, suggestFromAudit } from '../../../../web/session/suggest.ts'
import { Conditions, chipsOf } from './conditions.tsx'
import { alarmIn, type FilterProps, isOutcome, type TextMember } from './filter.ts'

const { filter: names } = words.impersonations.audit

/** Whether the reader opened the further conditions: they stay so on the way to a row and back. */
let isOpenNow = false

export function Filters(props: FilterProps) {
  const { session, filter, now, people, isOwn, onChange } = props
  const count = chipsOf(filter, people).length
  const [isOpen, setOpen] = useState(isOpenNow)
  const open = (isOpen: boolean) => {
    isOpenNow = isOpen
    setOpen(isOpen)
  }
  const change = (part: RowFilter, how?: { instead: boolean }) =>
    onChange(withoutEmpty({ ...filter, ...part }), how)
  const fieldOf = (name: TextMember) => ({
    id: `filter-${name}`,
    label: names[name],
    value: filter[name] ?? '',
  })
  const textOf = (name: TextMember) => ({
    ...fieldOf(name),
    onChange: (value: string, how: { instead: boolean }) => change({ [name]: value }, how),
  })
  const personOf = (name: 'customer' | 'operator') => ({
    ...fieldOf(name),
    known: people[`${name}s`],
    onChoose: (id: string) => change({ [name]: id }),
  })
  const flag = (name: 'held' | 'unapproved', label: string) => (
    <label class="choice flag">
      <input
        type="checkbox"
        checked={filter[name] === true}
        onChange={({ currentTarget: { checked } }) =>
          change({ [name]: checked ? true : undefined })
        }
      />
      {label}
    </label>
  )
  return (
    <search class="filter">
      <div class="filter-box">
        <div class="filter-fields first">
          <TextFilter {...textOf('text')} type="search" placeholder={names.textHelp} />
          <WhenFilter range={filter} now={now} onChange={({ from, to }) => change({ from, to })} />
          <button
            type="button"
            class="button more"
            aria-expanded={isOpen}
            aria-controls="filter-more"
            onClick={() => open(!isOpen)}
          >
            {count === 0 ? names.title : counted(names.active, count)}
          </button>
        </div>
        <div class="filter-fields" id="filter-more" hidden={!isOpen}>
          {!isOwn && (
            <PersonInput
              {...personOf('operator')}
              suggest={suggestFromAudit(session, 'operator')}
            />
          )}
          <PersonInput {...personOf('customer')} suggest={suggestCustomers(session)} />
          <TextFilter {...textOf('ticket')} />
          <div class="two-columns">
            <Field id="filter-outcome" label={names.outcome}>
              {(input) => (
                <select
                  {...input}
                  value={filter.outcome ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    change({ outcome: isOutcome(value) ? value : undefined })
                  }
                >
                  <option value="">{names.anyOutcome}</option>
                  {ALL_OUTCOMES.map((outcome) => (
                    <option key={outcome} value={outcome}>
                      {words.impersonations.audit.outcomes[outcome]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          {!isOwn && (
            <Field id="filter-alarm" label={names.alarm}>
              {(input) => (
                <select
                  {...input}
                  value={filter.alarm ?? ''}
                  onChange={({ currentTarget: { value } }) => change({ alarm: alarmIn(value) })}
                >
                  <option value="">{names.anyAlarm}</option>
                  <option value="any">{names.withAlarm}</option>
                  <option value="open">{names.openAlarm}</option>
                  <option value="objection">{names.objection}</option>
                </select>
              )}
            </Field>
          )}
          {flag('unapproved', words.web.unapproved.emergency)}
          {!isOwn && flag('held', names.held)}
        </div>
      </div>
      {count > 0 && (
        <div class="conditions">
          <Conditions filter={filter} people={people} onChange={onChange} />
          <Button kind="quiet" onPress={() => onChange({})}>
            {names.clear}
          </Button>
        </div>
      )}
    </search>
  )
}

function withoutEmpty(filter: RowFilter): RowFilter {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''),
  )
}
