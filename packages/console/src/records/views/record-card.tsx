import { KINDS } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import { type At, type StaffAt, text } from '../../web/kit/at.ts'
import { Badge, UnapprovedMark } from '../../web/kit/badge.tsx'
import { FactList } from '../../web/kit/fact.tsx'
import { Link } from '../../web/kit/link.tsx'
import { NoteAction } from '../../web/kit/note-action.tsx'
import { personalDataPath, recordPath } from '../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../web/kit/people.tsx'
import { Said, Text, Ticket } from '../../web/kit/text.tsx'
import { durationText, Time } from '../../web/kit/time.tsx'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { StartButton } from './start-button.tsx'

/** The key of the sentence that names a record. */
function sentenceOf({ kind, customer }: RecordAnswer) {
  if (kind === 'answer' || kind === 'erasure') return kind
  return customer ? 'acting' : 'anyCustomer'
}

/** *Olivia Ortiz as Alice Ng*, for titles and labels. */
export function recordTitle(at: At, of: RecordAnswer) {
  return text(at, at.words.records.titles[sentenceOf(of)], {
    operator: personName(at, of.operator),
    customer: personName(at, of.customer),
  })
}

/** A record, with what the reader can do: the same wherever it is shown. */
export function RecordCard(
  props: {
    of: RecordAnswer
    /** Of its title. Absent if the title stands above. */
    heading?: 'h2' | 'h3'
    /** The page of the record. */
    isWhole?: true
    children?: ComponentChildren
  },
  at: StaffAt,
) {
  const { of, heading: Heading, isWhole, children } = props
  const labels = at.words.records
  const isOfPerson = of.kind === 'erasure' && of.customer
  const path = isOfPerson ? personalDataPath(isOfPerson.id) : recordPath(of.id)
  return (
    <article
      class={of.unapproved && of.isReviewDue ? 'card alarm' : 'card'}
      id={of.id}
      aria-label={recordTitle(at, of)}
    >
      <div class="section-head">
        {Heading && (
          <Heading>
            <Text
              of={labels.titles[sentenceOf(of)]}
              operator={<NamedPerson of={of.operator} />}
              customer={<NamedPerson of={of.customer} />}
            />
          </Heading>
        )}
        {(Heading || isWhole) && <RecordMarks of={of} />}
      </div>
      <DeclinedList of={of} />
      <RecordFacts of={of} isWhole={isWhole} />
      {children}
      <WordList of={of} />
      <div class="actions">
        <StartButton of={of} />
        <SayButtons of={of} />
        {!isWhole && (
          <Link to={path} class="button quiet" label={`${labels.open}: ${recordTitle(at, of)}`}>
            {labels.open}
          </Link>
        )}
      </div>
    </article>
  )
}

/** The state of a record: of an emergency, also whether somebody has looked at it. */
export function RecordMarks({ of }: { of: RecordAnswer }, { words }: At) {
  const { kind, state, isReviewDue } = of
  const { states } = words.records
  const isEmergency = kind === 'emergency'
  const tone = ['requested', 'asked', 'stopped'].includes(state) ? 'warning' : 'plain'
  return (
    <span class="marks">
      <UnapprovedMark of={of} />
      {/* Nobody approved an emergency. */}
      {!(isEmergency && state === 'granted') && (
        <Badge tone={state === 'granted' ? 'good' : tone}>{states[state]}</Badge>
      )}
      {isEmergency && (
        <Badge tone={isReviewDue ? 'warning' : 'plain'}>
          {isReviewDue ? words.records.toReview : states.reviewed}
        </Badge>
      )}
    </span>
  )
}

/** The facts of a record. @param props.isWhole on its page, all of them */
export function RecordFacts(
  { of, isWhole }: { of: RecordAnswer; isWhole?: boolean | undefined },
  at: At,
) {
  const { fields, look, lookAndChange } = at.words.records
  const { kind, state, operator, customer, application, canChange, resource, scope, until } = of
  const isOpen = state === 'requested' || state === 'asked'
  const free = (value: string | undefined) => value && <bdi class="free">{value}</bdi>
  const time = (moment: number | undefined) => moment && <Time at={moment} />
  const length = (seconds: number | undefined) => seconds && durationText(at, seconds)
  const facts = [
    [fields.operator, isWhole && operator && <NamedPerson of={operator} />],
    [fields.customer, isWhole && customer && <NamedPerson of={customer} />],
    [fields.ticket, of.ticket && <Ticket of={of} />],
    [fields.reason, free(of.reason)],
    [fields.why, free(of.why)],
    [
      fields.application,
      application && (
        <>
          <bdi>{of.applicationName ?? application}</bdi>
          {canChange !== undefined && ` · ${canChange ? lookAndChange : look}`}
        </>
      ),
    ],
    [fields.resource, isWhole && resource && <code>{resource}</code>],
    [fields.scope, isWhole && scope && <code>{scope}</code>],
    [fields.for, !until && length(of.for)],
    [fields.duration, isWhole && length(of.duration)],
    [fields.requestedAt, time(of.requestedAt)],
    [fields.lapsesAt, isOpen && time(of.lapsesAt)],
    // Nobody approved an emergency.
    [fields.grantedAt, isWhole && kind !== 'emergency' && time(of.grantedAt)],
    [fields.until, time(until)],
  ] as const
  return <FactList class="told-facts" of={facts} />
}

/** The words of people, with their notes. The request of an operator stands above. */
function WordList({ of }: { of: RecordAnswer }, { words }: At) {
  const { kind, customer, by, note, requestedAt, said } = of
  const { inCode, said: labels } = words.records
  const began: Readonly<Partial<Record<string, string>>> = words.records.began
  const begun = began[kind === 'stop' && customer ? 'objection' : kind]
  const lines = [
    ...(begun ? [{ sentence: begun, by, note, at: requestedAt }] : []),
    ...said.map(({ event, ...each }) => ({ sentence: labels[event], ...each })),
  ]
  return (
    <ul class="decisions">
      {lines.map(({ sentence, by, note, at }) => (
        <li key={sentence + at}>
          <Text
            of={sentence}
            person={by ? <NamedPerson of={by} /> : inCode}
            time={<Time at={at} form="long" />}
          />
          <Said of={note} />
        </li>
      ))}
    </ul>
  )
}

/** The refusals to the same operator before. */
function DeclinedList({ of: { declinedBefore = [] } }: { of: RecordAnswer }, { words }: At) {
  const labels = words.records
  return (
    <>
      {declinedBefore.map(({ id, by, at, ticket, note }) => (
        <p key={id} class="message refused">
          <Text
            of={labels.declinedBefore}
            person={<NamedPerson of={by} />}
            time={<Time at={at} />}
          />{' '}
          <Ticket of={{ ticket }} /> <Said of={note} />{' '}
          <Link to={recordPath(id)}>{labels.open}</Link>
        </p>
      ))}
    </>
  )
}

const BUTTONS = {
  granted: 'primary',
  declined: 'plain',
  revoked: 'plain',
  reviewed: 'primary',
  lifted: 'primary',
  confirmed: 'danger',
} as const

/** The events that the reader is offered: who can refuse a request need not take it back. */
export const buttonsOf = ({ may }: RecordAnswer) =>
  may.filter((event) => event !== 'revoked' || !may.includes('declined'))

/** The buttons of the reader, each with a note. */
function SayButtons({ of }: { of: RecordAnswer }, at: At) {
  const { choices } = at.words.records
  const slots = {
    operator: personName(at, of.operator),
    customer: personName(at, of.customer),
    application: of.applicationName ?? of.application ?? '',
  }
  return (
    <>
      {buttonsOf(of).map((event) => {
        const isWithdrawn = event === 'revoked' && of.state === 'requested'
        const { act, about } = choices[isWithdrawn ? 'withdrawn' : event]
        return (
          <NoteAction
            key={event}
            action={`${recordPath(of.id)}/${event}`}
            label={act}
            name={`${act}: ${recordTitle(at, of)}`}
            kind={BUTTONS[event]}
            about={text(at, about, slots)}
            isNeeded={KINDS[of.kind].says[event]?.needsNote === true}
          />
        )
      })}
    </>
  )
}
