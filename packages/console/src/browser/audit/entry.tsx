import {
  type AuditPerson,
  type AuditRow,
  alarmKindOf,
  type Ending,
  endingOf,
  isUrgentByItself,
  MISLABELLED_EVENT,
  SET_ASIDE,
} from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { RowAnswer, TimelineEntry } from '../../api/console/answers.ts'
import { AfterRefusal } from '../kit/after-refusal.tsx'
import { Badge } from '../kit/kit.tsx'
import { auditPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { Text, words } from '../kit/text.tsx'
import { Moment, Named, Operator, personOf } from './in-words.tsx'

const { timeline: labels } = words.impersonations.audit

/** What an entry tells, in words. */
export function EntryInWords({ entry, row }: { entry: TimelineEntry; row: RowAnswer }) {
  const { event, note, denial, end } = entry
  const isUse = event === 'impersonation.used'
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
        {alarmKindOf(entry) === 'after_refusal' && (
          <>
            {' '}
            <AfterRefusal />
          </>
        )}
      </span>
      {denial && <Quote of={denial.reason || denial.error} />}
      {isUse && entry.use?.refused && <Quote of={entry.use.refused.description} />}
      {end?.reason !== undefined && endOf(entry, row) !== 'left' && <Quote of={end.reason} />}
      {note !== undefined && <Quote of={note} />}
    </>
  )
}

/** What a person or a program said, as it is. */
function Quote({ of }: { of: string }) {
  return (
    <q class="said">
      <bdi>{of}</bdi>
    </q>
  )
}

/** A request to an API: in the words of the deployment where it has some, else as it was made. */
function Use({ entry }: { entry: TimelineEntry }) {
  const { words: inWords, use } = entry
  if (inWords === undefined) return <Request use={use} />
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
export function Request({ use }: Pick<TimelineEntry, 'use'>) {
  const { method, path = '' } = use ?? {}
  return (
    <>
      <code class="request">
        <Text of={labels.request} method={method ?? labels.anyMethod} path={path} />
      </code>{' '}
      <Answer use={use} />
    </>
  )
}

function Answer({ use }: Pick<TimelineEntry, 'use'>) {
  const { status, refused } = use ?? {}
  return (
    <Badge tone={refused || (status ?? 0) >= 400 ? 'warning' : 'plain'}>
      {refused ? (
        labels.refusedUse
      ) : status === undefined ? (
        labels.noAnswer
      ) : (
        <Text of={labels.answered} status={status} />
      )}
    </Badge>
  )
}

function What({ entry, row }: { entry: TimelineEntry; row: RowAnswer }): ComponentChildren {
  const { event, time, denial, end, expiresAt, scope } = entry
  const until = expiresAt === undefined ? undefined : expiresAt * 1000
  switch (event) {
    case 'impersonation.issued':
      return (
        <>
          <Text
            of={labels.asked}
            operator={<Operator row={row} />}
            customer={<Named person={row.customer} />}
          />{' '}
          {until !== undefined && <Moment of={labels.askedUntil} at={until} />}
        </>
      )
    case 'impersonation.started':
      return (
        <>
          <Text
            of={labels.started}
            application={applicationOf(entry, row) ?? words.impersonations.audit.unknownPerson}
          />{' '}
          {scope !== undefined && <Text of={labels.rights} rights={scope} />}
        </>
      )
    case 'impersonation.denied':
      return deniedAt(denial?.stage)
    case 'impersonation.replayed':
      return labels.replayed
    case 'impersonation.ended': {
      const by = end?.by?.sub
      const name = entry.names?.by?.name
      const person = by === undefined || name === undefined ? personOf(by, row) : { id: by, name }
      return <Text of={labels.ends[endOf(entry, row)]} person={<Named person={person} />} />
    }
    case 'support.continued': {
      const { continues = '' } = entry
      const link = <Link to={auditPath(continues)}>{labels.continued}</Link>
      return <Text of={labels.continues} earlier={link} />
    }
    case 'support.refused':
      return labels.refused
    case 'support.acknowledged':
      return <Text of={labels.acknowledged} person={<Named person={byOf(entry, row)} />} />
    case 'support.held':
      return <Text of={labels.held} person={<Named person={byOf(entry, row)} />} />
    case 'support.released':
      return <Text of={labels.released} person={<Named person={byOf(entry, row)} />} />
    case 'support.objected':
      return <Text of={labels.objected} person={<Named person={byOf(entry, row)} />} />
    case 'support.exported':
      return <Text of={labels.exported} person={<Named person={byOf(entry, row)} />} />
    case 'support.notifying':
      return labels.notifying
    case 'support.notified':
      return labels.notified
    case 'support.unnotified':
      return labels.unnotified
    case MISLABELLED_EVENT:
      return labels.mislabelled
    case SET_ASIDE:
      return labels.setAside
    default:
      return <Moment of="{time}" at={time} />
  }
}

/** By name, where the console knows it. */
function applicationOf({ client }: TimelineEntry, { application, applicationName }: RowAnswer) {
  return client === application ? (applicationName ?? client) : client
}

/** How this entry ended it: another may have done so before. */
function endOf({ end }: TimelineEntry, { operator }: AuditRow): Ending {
  const { at = 0, cause = 'requested', by, reason } = end ?? {}
  return endingOf({ end: { at, cause, by: by?.sub, reason }, operator }) ?? 'provider'
}

function deniedAt(stage: 'end' | 'exchange' | 'issue' | undefined): string {
  if (stage === 'end') return labels.deniedEnd
  return stage === 'exchange' ? labels.deniedExchange : labels.deniedIssue
}

/** The person who did it in the console or on the account page. */
function byOf({ by, byName }: TimelineEntry, row: AuditRow): AuditPerson | undefined {
  if (by === undefined) return undefined
  return byName === undefined ? personOf(by, row) : { id: by, name: byName }
}

type EntryTone = 'alarm' | 'good' | 'plain' | 'warning'

/** The colour of the dot in the timeline. */
export function toneOf(entry: TimelineEntry): EntryTone {
  if (isUrgentByItself(entry)) return 'alarm'
  if (entry.event === 'impersonation.started') return 'good'
  const isError = (entry.use?.status ?? 0) >= 400
  const isRefused = entry.use?.refused !== undefined
  return isError || isRefused || entry.denial || entry.setAside ? 'warning' : 'plain'
}
