import {
  endingIn,
  isAlarmByItself,
  type RowUse,
  sentenceFor,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Actor, NamedPerson } from '../../../web/kit/people.tsx'
import { Said, Text } from '../../../web/kit/text.tsx'
import type { ImpersonationAnswer, TimelineEntry } from '../server/impersonation.ts'
import { personOfRow } from './rows.tsx'

interface EntryOfRow {
  readonly entry: TimelineEntry
  readonly row: ImpersonationAnswer
}

/** An entry in words. */
export function EntryInWords({ entry, row }: EntryOfRow, at: At) {
  const { event, note, denial, end, use, words } = entry
  return (
    <>
      <span class="what">
        {event === USED_EVENT ? (
          <RequestInWords
            {...use}
            words={words}
            isRefused={use?.refused && true}
            isShort={words !== undefined}
          />
        ) : (
          <What entry={entry} row={row} />
        )}{' '}
        {entry.afterRestart && (
          <Badge tone="warning">{at.words.impersonations.audit.timeline.afterRestart}</Badge>
        )}
      </span>
      <Said of={denial && (denial.reason || denial.error)} />
      <Said of={use?.refused?.description} />
      <Said of={endingIn(entry, row) === 'left' ? undefined : end?.reason} />
      <Said of={note} />
    </>
  )
}

type RequestToApi = Partial<Omit<RowUse, 'at'>>

const hasFailed = ({ isRefused, status = 0 }: RequestToApi) => isRefused || status >= 400

/**
 * A request to an API, in the words of the deployment if it has some, and the answer.
 *
 * @param use.isShort leaves the answer away if the request succeeded
 */
export function RequestInWords(
  use: RequestToApi & { words: string | undefined; isShort: boolean },
  at: At,
) {
  const { isRefused, isShort, method, path = '', status, words } = use
  const labels = at.words.impersonations.events[USED_EVENT]
  const { answered, noAnswer, refused } = labels
  const sentence = isRefused ? refused : status === undefined ? noAnswer : answered
  return (
    <>
      {words !== undefined ? (
        <bdi class="free">{words}</bdi>
      ) : (
        <code class="request">
          <Text of={labels.request} method={method ?? labels.anyMethod} path={path} />
        </code>
      )}{' '}
      {(!isShort || hasFailed(use)) && (
        <Badge tone={hasFailed(use) ? 'warning' : 'plain'}>
          {text(at, sentence, { status: status ?? '' })}
        </Badge>
      )}
    </>
  )
}

function What({ entry, row }: EntryOfRow, { words }: At) {
  const { continues = '', client, end, by, names } = entry
  const { audit, events } = words.impersonations
  // By name, if the console knows it.
  const application = client === row.application ? row.applicationName : client
  // The person who ended it, or did it in the console or on the account page.
  const person = personOfRow(row, end?.by?.sub ?? by, names?.by?.name)
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
  const { denial, setAside, use } = entry
  if (isAlarmByItself(entry)) return 'alarm'
  if (entry.event === 'impersonation.started') return 'good'
  const isTrouble = denial || setAside || use?.refused || hasFailed({ status: use?.status })
  return isTrouble ? 'warning' : 'plain'
}
