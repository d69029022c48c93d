import type { StaffAt } from '../../web/kit/at.ts'
import { PersonField, SearchField, SelectField, TextField } from '../../web/kit/form.tsx'
import { Link, Older } from '../../web/kit/link.tsx'
import { Ticket } from '../../web/kit/text.tsx'
import { Time } from '../../web/kit/time.tsx'
import { WhenField } from '../../web/kit/when-field.tsx'
import type { View } from '../../web/pages/table.ts'
import type { HistoryAnswer } from '../api/history.ts'
import { RecordCard, RecordMarks, recordTitle } from './record-card.tsx'

const PATH = '/records'

/** All records, a row each, which opens to its card. Those in force are open at once. */
export const historyPage: View<HistoryAnswer> = ({ asked, filter, records, next }, at) => {
  const { history, older } = at.words.records
  const { export: file } = at.words.impersonations.audit
  const isOwn = at.me.role === 'operator'
  return {
    title: history.title,
    about: isOwn ? history.aboutOwn : history.about,
    ids: records.map(({ id }) => id),
    body: (
      <>
        <HistoryFilters asked={asked} range={filter} isOwn={isOwn} />
        {!isOwn && (
          <p>
            <a
              class="button"
              href={`${at.base}${PATH}/export.csv?${new URLSearchParams(asked)}`}
              download
            >
              {file.csvLabel}
            </a>{' '}
            <span class="note">{file.about}</span>
          </p>
        )}
        {records.length === 0 && (
          <p class="empty" role="status">
            {next === undefined ? history.none : history.noneSoFar}
          </p>
        )}
        <ul class="timeline-part" aria-label={history.title}>
          {records.map((record) => (
            <li key={record.id} class="card">
              <details id={`open-${record.id}`} open={asked.state === 'in_force'}>
                <summary>
                  <bdi>{recordTitle(at, record)}</bdi> <Ticket of={record} />{' '}
                  <Time at={record.requestedAt} form="recent" /> <RecordMarks of={record} />
                </summary>
                <RecordCard of={record} />
              </details>
            </li>
          ))}
        </ul>
        <Older to={PATH} next={next} asked={asked} label={older} />
      </>
    ),
  }
}

/** The conditions of the list. An operator sees what they asked for, and what they decided. */
function HistoryFilters(
  props: { asked: HistoryAnswer['asked']; range: HistoryAnswer['filter']; isOwn: boolean },
  { base, words }: StaffAt,
) {
  const { asked, range, isOwn } = props
  const { history } = words.records
  const { filter: names } = words.impersonations.audit
  const field = (name: keyof typeof asked) => ({ id: name, name, value: asked[name] ?? '' })
  const select = (name: 'kind' | 'state', labels: Readonly<Record<string, string>>) => (
    <SelectField
      of={field(name)}
      label={history[name]}
      options={Object.entries({ '': history.any, ...labels })}
    />
  )
  return (
    <search class="filter">
      <form class="filter-box" method="get" action={base + PATH} data-auto>
        <div class="filter-fields first">
          <SearchField of={field('text')} label={names.text} placeholder={history.textHelp} />
          {select('kind', history.kinds)}
          {select('state', history.states)}
        </div>
        <div class="filter-fields">
          {!isOwn && <PersonField of={field('person')} who="operator" label={history.person} />}
          {!isOwn && <PersonField of={field('operator')} who="operator" label={names.operator} />}
          <PersonField of={field('customer')} who="customer" label={names.customer} />
          <TextField of={field('ticket')} label={names.ticket} />
          <WhenField range={range} isDays={asked.when === 'days'} />
        </div>
        <noscript>
          <button type="submit" class="button">
            {names.title}
          </button>
        </noscript>
      </form>
      {Object.keys(asked).length > 0 && (
        <div class="conditions">
          <Link class="button quiet" to={PATH}>
            {names.clear}
          </Link>
        </div>
      )}
    </search>
  )
}
