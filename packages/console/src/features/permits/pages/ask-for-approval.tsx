import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActBody } from '../../../web/answers.ts'
import { Button } from '../../../web/kit/button.tsx'
import { clearMessage, say } from '../../../web/kit/message.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { text, words } from '../../../web/kit/text.tsx'
import { serverTime, useServerTime } from '../../../web/session/clock.ts'
import { ApiProblem, type Session } from '../../../web/session/session.ts'
import type {
  ApprovalAnswer,
  DecidersAnswer,
  PermitAnswer,
  PermitCreated,
} from '../server/api/answers.ts'
import {
  askedInWords,
  neededInWords,
  noticeInWords,
  problemInWords,
  relativeTime,
} from './in-words.ts'
import { PermitWatch } from './permit-watch.ts'
import { startBy } from './starting.ts'

const { permits: labels } = words

/** What the refusal says that can be done; `undefined` for any other problem. */
export function approvalNeeded({
  error,
  body,
}: ApiProblem): ApprovalAnswer['approval'] | undefined {
  if (error !== 'approval_required') return undefined
  // The API of the same version answers it.
  return (body as Partial<ApprovalAnswer>).approval
}

/** In the place of *Act as*, where that needs an approval: all is filled in already. */
export function AskForApproval(props: {
  session: Session
  approval: ApprovalAnswer['approval']
  /** What the operator asked for. */
  body: ActBody
  /** Acts as the form says. */
  onStart: (first?: {
    readonly reason: string
    readonly before: () => Promise<unknown>
    readonly onProblem: (problem: ApiProblem) => boolean
  }) => Promise<unknown>
}) {
  const { session, approval, body } = props
  const { by, deciders, refused } = approval
  const heading = useRef<HTMLHeadingElement>(null)
  const [asked, setAsked] = useState<{ permit: PermitAnswer; deciders?: DecidersAnswer }>()
  const [isEmergency, setEmergency] = useState(false)
  useEffect(() => heading.current?.focus(), [])
  const waiting = asked ?? (approval.permit && { permit: approval.permit, ...props.approval })
  const permit = useFollowed(session, waiting?.permit)
  // What was taken back, and what nobody decided in time, can be asked again.
  const over: Readonly<Record<string, string>> = labels.ask.over
  const whyOver = permit && over[permit.state]
  const isDecided = permit?.state === 'granted' || permit?.state === 'refused'
  const hasNobody = deciders?.names.length === 0 && !deciders.isLeads

  const post = async (path: string, more: object): Promise<PermitCreated> => {
    const created = await session.ask<PermitCreated>(path, {
      method: 'POST',
      body: { ...body, ...more },
    })
    session.changed(created.permit.id)
    await PermitWatch.of(session).load()
    return created
  }
  const ask = async () => {
    clearMessage()
    try {
      setAsked(await post('/permits', {}))
      heading.current?.focus()
    } catch (error) {
      if (isNotNeeded(error)) await props.onStart()
      else say('refused', problemInWords(error))
    }
  }
  const actNow = async (reason: string) => {
    let needsNone = false
    let isStored = false
    await props.onStart({
      reason,
      async before() {
        await post('/permits/emergency', { reason })
        isStored = true
      },
      onProblem(problem) {
        if (isStored) return false
        needsNone = isNotNeeded(problem)
        if (!needsNone) say('refused', problemInWords(problem))
        return true
      },
    })
    if (needsNone) await props.onStart()
  }

  return (
    <section class="card ask" aria-labelledby="ask-title">
      <h2 id="ask-title" ref={heading} tabIndex={-1}>
        {permit && isDecided ? labels.states[permit.state] : labels.ask.title}
      </h2>
      {whyOver && <p class="message">{whyOver}</p>}
      {permit && isDecided && <Decided session={session} permit={permit} />}
      {waiting && permit?.state === 'requested' && <Waiting session={session} of={waiting} />}
      {(!waiting || whyOver) && (
        <>
          <p>
            {neededInWords(approval, serverTime(session))}{' '}
            {!refused && by.includes('user') && labels.ask.customer}
          </p>
          {!hasNobody && !refused && (
            <div class="actions">
              <Button kind="primary" onPress={ask}>
                {labels.ask.submit}
              </Button>
            </div>
          )}
        </>
      )}
      {approval.emergency && !hasNobody && !isDecided && (
        <div class="emergency">
          <p class="note">{labels.ask.emergencyAbout}</p>
          <Button kind="danger" onPress={() => setEmergency(true)}>
            {labels.ask.emergency}
          </Button>
        </div>
      )}
      {approval.isReviewDue && <p class="note">{labels.problems.review_due}</p>}
      {isEmergency && (
        <NoteDialog
          title={labels.ask.emergencyTitle}
          confirm={labels.ask.emergency}
          subject={labels.ask.emergencyReason}
          about={labels.ask.emergencyAbout}
          isNeeded
          most={MAX_REASON_LENGTH}
          onConfirm={actNow}
          onClose={() => setEmergency(false)}
        />
      )}
    </section>
  )
}

/** Whether the rule needs no approval any more. */
function isNotNeeded(error: unknown): boolean {
  return error instanceof ApiProblem && error.error === 'not_needed'
}

/** A request as it stands now. */
function useFollowed(session: Session, asked: PermitAnswer | undefined): PermitAnswer | undefined {
  const [now, setNow] = useState(asked)
  useEffect(() => {
    setNow(asked)
    return asked && PermitWatch.of(session).follow(asked.id, setNow)
  }, [session, asked?.id])
  return asked && now?.id === asked.id ? now : asked
}

/** What was decided, and one click to act. */
function Decided({ session, permit }: { session: Session; permit: PermitAnswer }) {
  const isGranted = permit.state === 'granted'
  return (
    <>
      <p class={`message ${isGranted ? 'done' : 'refused'}`} role="status">
        {noticeInWords(permit)} <Link to={permitPath(permit.id)}>{labels.ask.page}</Link>
      </p>
      {isGranted && (
        <div class="actions">
          <Button
            kind="primary"
            onPress={async () => {
              if (await startBy(session, permit)) PermitWatch.of(session).seen(permit.id)
            }}
          >
            {text(labels.notice.act, { customer: nameOf(permit.customer) })}
          </Button>
        </div>
      )}
    </>
  )
}

/** *Grace Okafor and one other were asked 2 minutes ago. You can close this page.* */
function Waiting(props: {
  session: Session
  of: { permit: PermitAnswer; deciders?: DecidersAnswer | undefined }
}) {
  const { session, of } = props
  const { id, needs, requestedAt } = of.permit
  const time = relativeTime(Math.min(0, requestedAt - useServerTime(session)))
  return (
    <p role="status">
      {askedInWords(of.deciders, time)}{' '}
      {of.deciders && needs.includes('user') && `${text(labels.ask.waitsCustomer, { time })} `}
      {labels.ask.close} <Link to={permitPath(id)}>{labels.ask.page}</Link>
    </p>
  )
}
