import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import {
  type FieldIn,
  PersonField,
  SearchField,
  SelectField,
  TextField,
} from '../../../web/kit/form.tsx'
import { Link, Older } from '../../../web/kit/link.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { actingText } from '../../../web/kit/people.tsx'
import { AuditTabs } from '../../../web/kit/tabs.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { WhenField } from '../../../web/kit/when-field.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { HistoryAnswer, HistoryQuestion, PastPermitAnswer } from '../server/api/answers.ts'
import { HISTORY_STATES } from '../server/history-filter.ts'
import { DecisionList } from './decisions.tsx'
import { PermitFrame } from './permit-card.tsx'

const PATH = '/approvals/history'

/** All requests and emergencies: who asked, who decided with which note, and what came of it. */
export const historyPage: View<HistoryAnswer> = ({ asked, filter, permits, next }, at) => {
  const { history, older } = at.words.permits
  const isOwn = at.me.role === 'operator'
  return {
    title: history.title,
    about: isOwn ? history.aboutOwn : history.about,
    ids: permits.map(({ id }) => id),
    body: (
      <>
        <AuditTabs />
        <HistoryFilters asked={asked} range={filter} isOwn={isOwn} />
        {!isOwn && <Export query={new URLSearchParams(asked)} />}
        {permits.length === 0 ? (
          <p class="empty" role="status">
            {next === undefined ? history.none : history.noneSoFar}
          </p>
        ) : (
          <ul class="cards" aria-label={history.title}>
            {permits.map((permit) => (
              <PastCard key={permit.id} permit={permit} />
            ))}
          </ul>
        )}
        <Older to={PATH} next={next} asked={asked} label={older} />
      </>
    ),
  }
}

function PastCard({ permit }: { permit: PastPermitAnswer }, at: At) {
  const labels = at.words.permits
  return (
    <PermitFrame permit={permit} heading="h2">
      <p class="note">
        {permit.kind === 'emergency' ? labels.begun : labels.asked}{' '}
        <Time at={permit.requestedAt} form="long" />
      </p>
      <DecisionList permit={permit} />
      <div class="actions">
        <Link
          to={permitPath(permit.id)}
          class="button quiet"
          label={text(at, labels.openLabel, { acting: actingText(at, permit) })}
        >
          {labels.open}
        </Link>
      </div>
    </PermitFrame>
  )
}

/** Who, what became of it, and when. An operator sees what they asked for, and what they decided. */
function HistoryFilters(
  props: { asked: HistoryQuestion; range: HistoryAnswer['filter']; isOwn: boolean },
  { base, words }: StaffAt,
) {
  const { asked, range, isOwn } = props
  const { history } = words.permits
  const { filter: names } = words.impersonations.audit
  const field: FieldIn = (name) => ({ id: name, name, value: asked[name] ?? '' })
  return (
    <search class="filter">
      <form class="filter-box" method="get" action={base + PATH} data-auto>
        <div class="filter-fields first">
          <SearchField of={field('text')} label={names.text} placeholder={history.textHelp} />
          <SelectField
            of={field('state')}
            label={history.state}
            options={[
              { value: '', label: history.anyState },
              ...HISTORY_STATES.map((value) => ({ value, label: history.states[value] })),
            ]}
          />
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

function Export({ query }: { query: URLSearchParams }, { base, words }: At) {
  const { export: names } = words.impersonations.audit
  return (
    <p>
      <a class="button" href={`${base}${PATH}.csv?${query}`} download>
        {names.csvLabel}
      </a>{' '}
      <span class="note">{names.about}</span>
    </p>
  )
}
