import {
  endingIn,
  isAlarmByItself,
  sentenceFor,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import type { ImpersonationAnswer, TimelineEntry } from '../../../web/answers.ts'
import type { At } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Actor, NamedPerson } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { personOfRow } from './person-of-row.ts'

/** What an entry tells, in words. */
export function EntryInWords(
  { entry, row }: { entry: TimelineEntry; row: ImpersonationAnswer },
  at: At,
) {
  const { event, note, denial, end, use } = entry
  const isUse = event === USED_EVENT
  return (
    <>
      <span class="what">
        {isUse ? <Use entry={entry} /> : <What entry={entry} row={row} />}
        {entry.afterRestart && (
          <>
            {' '}
            <Badge tone="warning">{at.words.impersonations.audit.timeline.afterRestart}</Badge>
          </>
        )}
      </span>
      {denial && <Said of={denial.reason || denial.error} />}
      {isUse && <Said of={use?.refused?.description} />}
      {endingIn(entry, row) !== 'left' && <Said of={end?.reason} />}
      <Said of={note} />
    </>
  )
}

/** A request to an API: in the words of the deployment if it has some, else as it was made. */
function Use({ entry: { words, use } }: { entry: TimelineEntry }) {
  if (words === undefined) return <RequestLine use={use} />
  return (
    <>
      <bdi class="free">{words}</bdi> {hasFailed(use) && <Answer use={use} />}
    </>
  )
}

const hasFailed = (use: TimelineEntry['use']) =>
  use?.refused !== undefined || (use?.status ?? 0) >= 400

/** A request to an API, and its answer. */
function RequestLine({ use }: Pick<TimelineEntry, 'use'>, { words }: At) {
  const { request, anyMethod } = words.impersonations.events[USED_EVENT]
  const { method = anyMethod, path = '' } = use ?? {}
  return (
    <>
      <code class="request">
        <Text of={request} method={method} path={path} />
      </code>{' '}
      <Answer use={use} />
    </>
  )
}

function Answer({ use }: Pick<TimelineEntry, 'use'>, { words }: At) {
  const of = sentenceFor(words.impersonations.events, { event: USED_EVENT, use }, {})
  return (
    <Badge tone={hasFailed(use) ? 'warning' : 'plain'}>
      <Text of={of} status={use?.status ?? ''} />
    </Badge>
  )
}

function What({ entry, row }: { entry: TimelineEntry; row: ImpersonationAnswer }, { words }: At) {
  const { continues = '', client, end, by = '', names } = entry
  const { audit, events } = words.impersonations
  // By name, if the console knows it.
  const application = client === row.application ? row.applicationName : client
  // Who ended it, or did it in the console or on the account page.
  const person = end
    ? personOfRow(row, end.by?.sub, names?.by?.name)
    : personOfRow(row, entry.by, row.byNames[by])
  return (
    <Text
      of={sentenceFor(events, entry, row)}
      operator={<Actor of={row} />}
      customer={<NamedPerson of={row.customer} />}
      person={<NamedPerson of={person} />}
      application={application ?? audit.unknownPerson}
      earlier={<Link to={auditPath(continues)}>{audit.timeline.continued}</Link>}
    />
  )
}

/** The colour of the dot in the timeline. */
export function toneOf(entry: TimelineEntry): 'alarm' | 'good' | 'plain' | 'warning' {
  if (isAlarmByItself(entry)) return 'alarm'
  if (entry.event === 'impersonation.started') return 'good'
  return hasFailed(entry.use) || entry.denial || entry.setAside ? 'warning' : 'plain'
}
