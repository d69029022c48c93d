import { Button } from '../../../web/kit/button.tsx'
import { Field } from '../../../web/kit/field.tsx'
import { fitsPerson, PersonInput, type Suggest } from '../../../web/kit/person-input.tsx'
import { words } from '../../../web/kit/text.tsx'
import { TextFilter } from '../../../web/kit/text-filter.tsx'
import { WhenFilter } from '../../../web/kit/when-filter.tsx'
import type { Session } from '../../../web/session/session.ts'
import { suggestCustomers, suggestFromAudit } from '../../../web/session/suggest.ts'
import type { HistoryFilter, HistoryState } from '../server/history-filter.ts'

const { filter: names } = words.impersonations.audit
const { history: labels } = words.permits

const TEXT_MEMBERS = ['text', 'person', 'operator', 'customer', 'ticket'] as const

const states: Readonly<Record<HistoryState, string>> = labels.states

const isState = (value: string): value is HistoryState => Object.hasOwn(states, value)

function stateIn(value: string | null): HistoryState | undefined {
  return value !== null && isState(value) ? value : undefined
}

/** The filter of an address. What is no valid value is left away. Moments are in UTC. */
export function historyFilterOf(query: URLSearchParams): HistoryFilter {
  const filter: { -readonly [K in keyof HistoryFilter]: HistoryFilter[K] } = {}
  for (const name of TEXT_MEMBERS) {
    const value = query.get(name)?.trim()
    if (value) filter[name] = value
  }
  for (const name of ['from', 'to'] as const) {
    const time = Date.parse(query.get(name) ?? '')
    if (time >= 0) filter[name] = time
  }
  const state = stateIn(query.get('state'))
  return state ? { ...filter, state } : filter
}

/** The parameters of a filter. @param time how a moment is written */
export function historyQueryOf(
  filter: HistoryFilter,
  time: (at: number) => string = String,
): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && value !== '') {
      query.set(name, typeof value === 'number' ? time(value) : value)
    }
  }
  return query
}

/** The address of a filter: `?state=refused`, or nothing. */
export function historyAddressOf(filter: HistoryFilter): string {
  const query = historyQueryOf(filter, (at) => new Date(at).toISOString())
  return query.size === 0 ? '' : `?${query}`
}

/** Who, what became of it, and when. */
export function HistoryFilters(props: {
  session: Session
  filter: HistoryFilter
  /** Names of people in the list, by id. */
  people: Readonly<Record<'customer' | 'operator' | 'person', ReadonlyMap<string, string>>>
  /** An operator sees what they asked for, and what they decided. */
  isOwn: boolean
  onChange: (filter: HistoryFilter, how?: { instead: boolean }) => void
}) {
  const { session, filter, people, isOwn, onChange } = props
  const change = (part: HistoryFilter, how?: { instead: boolean }) =>
    onChange({ ...filter, ...part }, how)
  const textOf = (name: (typeof TEXT_MEMBERS)[number]) => ({
    id: `history-${name}`,
    value: filter[name] ?? '',
    onChange: (value: string, how: { instead: boolean }) => change({ [name]: value }, how),
  })
  const personOf = (name: keyof typeof people, suggest: Suggest) => ({
    id: `history-${name}`,
    value: filter[name] ?? '',
    known: people[name],
    suggest: withKnown(people[name], suggest),
    onChoose: (id: string) => change({ [name]: id }),
  })
  const staff = suggestFromAudit(session, 'operator')
  return (
    <search class="filter">
      <div class="filter-box">
        <div class="filter-fields first">
          <TextFilter
            {...textOf('text')}
            label={names.text}
            type="search"
            placeholder={labels.textHelp}
          />
          <Field id="history-state" label={labels.state}>
            {(input) => (
              <select
                {...input}
                value={filter.state ?? ''}
                onChange={({ currentTarget: { value } }) => change({ state: stateIn(value) })}
              >
                <option value="">{labels.anyState}</option>
                {Object.entries(labels.states).map(([state, name]) => (
                  <option key={state} value={state}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <div class="filter-fields">
          {!isOwn && <PersonInput {...personOf('person', staff)} label={labels.person} />}
          {!isOwn && <PersonInput {...personOf('operator', staff)} label={names.operator} />}
          <PersonInput
            {...personOf('customer', suggestCustomers(session))}
            label={names.customer}
          />
          <TextFilter {...textOf('ticket')} label={names.ticket} />
          <WhenFilter
            range={filter}
            now={Date.now() + session.clockOffset}
            onChange={({ from, to }) => change({ from, to })}
          />
        </div>
      </div>
      {Object.values(filter).some((value) => value !== undefined && value !== '') && (
        <div class="conditions">
          <Button kind="quiet" onPress={() => onChange({})}>
            {names.clear}
          </Button>
        </div>
      )}
    </search>
  )
}

/** Who decided and never acted is in the list alone. */
function withKnown(known: ReadonlyMap<string, string>, suggest: Suggest): Suggest {
  return async (text, signal) => {
    const shown = [...known].map(([id, name]) => ({ id, name }))
    const found = await suggest(text, signal)
    const others = found.filter(({ id }) => !known.has(id))
    return [...shown.filter((each) => fitsPerson(each, text)), ...others]
  }
}
