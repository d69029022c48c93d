import {
  type AuditPerson,
  type AuditRow,
  endingIn,
  isAlarmByItself,
  sentenceFor,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer, TimelineEntry } from '../../../../web/answers.ts'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Moment, NamedPerson, Operator, personOfRow } from '../../../../web/kit/in-words.tsx'
import { auditPath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { Said } from '../../../../web/kit/said.tsx'
import { Text, words } from '../../../../web/kit/text.tsx'
import { ReviewMark } from '../../../../web/kit/unapproved.tsx'

const { audit, events } = words.impersonations
const { timeline: labels } = audit
const useWords = events['impersonation.used']

/** What an entry tells, in words. */
export function EntryInWords({ entry, row }: { entry: TimelineEntry; row: RowAnswer }) {
  const { event, note, denial, end } = entry
  const isUse = event === USED_EVENT
  return (
    <>
      <span class="what">
        {isUse ? <Use entry={entry} /> : <What entry={entry} row={row} />}
        {entry.afterRestart && (
          <>
            {' '}
            <Badge tone="warning">{labels.afterRestart}</Badge>
          </>
        )}
        {event === 'impersonation.started' && (
          <>
            {' '}
            <ReviewMark review={entry.review} />
          </>
        )}
      </span>
      {denial && <Said of={denial.reason || denial.error} />}
      {isUse && entry.use?.refused && <Said of={entry.use.refused.description} />}
      {endingIn(entry, row) !== 'left' && <Said of={end?.reason} />}
      <Said of={note} />
    </>
  )
}

/** A request to an API: in the words of the deployment where it has some, else as it was made. */
function Use({ entry }: { entry: TimelineEntry }) {
  const { words: inWords, use } = entry
  if (inWords === undefined) return <RequestLine use={use} />
  return (
    <>
      <bdi class="free">{inWords}</bdi>
      {(use?.refused || (use?.status ?? 0) >= 400) && (
        <>
          {' '}
          <Answer use={use} />
        </>
      )}
    </>
  )
}

/** A request to an API, and its answer. */
export function RequestLine({ use }: Pick<TimelineEntry, 'use'>) {
  const { method, path = '' } = use ?? {}
  return (
    <>
      <code class="request">
        <Text of={useWords.request} method={method ?? useWords.anyMethod} path={path} />
      </code>{' '}
      <Answer use={use} />
    </>
  )
}

function Answer({ use }: Pick<TimelineEntry, 'use'>) {
  const { status = '', refused } = use ?? {}
  const of = sentenceFor(events, { event: USED_EVENT, use }, {})
  return (
    <Badge tone={refused || Number(status) >= 400 ? 'warning' : 'plain'}>
      <Text of={of} status={status} />
    </Badge>
  )
}

function What({ entry, row }: { entry: TimelineEntry; row: RowAnswer }) {
  const { event, continues = '', expiresAt, scope } = entry
  return (
    <>
      <Text
        of={sentenceFor(events, entry, row)}
        operator={<Operator row={row} />}
        customer={<NamedPerson person={row.customer} />}
        person={<NamedPerson person={personIn(entry, row)} />}
        application={applicationOf(entry, row) ?? audit.unknownPerson}
        earlier={<Link to={auditPath(continues)}>{labels.continued}</Link>}
      />
      {event === 'impersonation.issued' && expiresAt !== undefined && (
        <>
          {' '}
          <Moment of={labels.askedUntil} at={expiresAt * 1000} />
        </>
      )}
      {event === 'impersonation.started' && scope !== undefined && (
        <>
          {' '}
          <Text of={labels.rights} rights={scope} />
        </>
      )}
    </>
  )
}

/** By name, where the console knows it. */
function applicationOf({ client }: TimelineEntry, { application, applicationName }: RowAnswer) {
  return client === application ? (applicationName ?? client) : client
}

/** Who ended it, or did it in the console or on the account page. */
function personIn(entry: TimelineEntry, row: AuditRow): AuditPerson | undefined {
  const { end, by, byName, names } = entry
  return end ? personOfRow(end.by?.sub, row, names?.by?.name) : personOfRow(by, row, byName)
}

type EntryTone = 'alarm' | 'good' | 'plain' | 'warning'

/** The colour of the dot in the timeline. */
export function toneOf(entry: TimelineEntry): EntryTone {
  if (isAlarmByItself(entry)) return 'alarm'
  if (entry.event === 'impersonation.started') return 'good'
  const isError = (entry.use?.status ?? 0) >= 400
  const isRefused = entry.use?.refused !== undefined
  return isError || isRefused || entry.denial || entry.setAside ? 'warning' : 'plain'
}
