import { useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { Fact, MomentFact } from '../../../web/kit/fact.tsx'
import { say } from '../../../web/kit/message.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { PermitAnswer } from '../server/api/answers.ts'
import { permitActing, permitSlots, problemInWords } from './in-words.ts'
import { PermitWatch } from './permit-watch.ts'
import { startBy } from './starting.ts'

const { permits: labels } = words

export type PermitChoice = 'grant' | 'refuse' | 'revoke' | 'withdraw'

/** What the reader may do with a permit, in the order of the buttons. */
export function choicesOf({ may, isMine, state }: PermitAnswer): readonly PermitChoice[] {
  return [
    ...(may.includes('grant') ? (['grant', 'refuse'] as const) : []),
    ...(may.includes('revoke')
      ? isMine && state === 'requested'
        ? (['withdraw'] as const)
        : state === 'granted'
          ? (['revoke'] as const)
          : []
      : []),
  ]
}

const TEXT_BY_DECISION: Readonly<
  Record<PermitChoice, { act: string; label: string; title: string; about: string }>
> = {
  grant: {
    ...{ act: labels.grant, label: labels.grantLabel },
    ...{ title: labels.grantTitle, about: labels.grantAbout },
  },
  refuse: {
    ...{ act: labels.refuse, label: labels.refuseLabel },
    ...{ title: labels.refuseTitle, about: labels.refuseAbout },
  },
  revoke: {
    ...{ act: labels.revoke, label: labels.revokeLabel },
    ...{ title: labels.revokeTitle, about: labels.revokeAbout },
  },
  withdraw: {
    ...{ act: labels.withdraw, label: labels.withdrawLabel },
    ...{ title: labels.withdrawTitle, about: labels.withdrawAbout },
  },
}

/** What a button, and its dialog, say of a permit. */
function textsOf(permit: PermitAnswer, what: PermitChoice) {
  const { act, label, title, about } = TEXT_BY_DECISION[what]
  return {
    ...{ act, title, label: text(label, { acting: permitActing(permit) }) },
    about: text(about, permitSlots(permit)),
  }
}

export interface ChosenDecision {
  readonly permit: PermitAnswer
  readonly what: PermitChoice
}

/**
 * The buttons of a permit: who asked may act by it. Each other one opens a dialog that names person, customer
 * and scope.
 */
export function DecideButtons(props: {
  session: Session
  permit: PermitAnswer
  onChoose: (deciding: ChosenDecision) => void
}) {
  const { session, permit, onChoose } = props
  const { customer, isMine, state, canChange } = permit
  return (
    <>
      {isMine && state === 'granted' && canChange !== undefined && (
        <Button
          kind="primary"
          onPress={async () => {
            if (await startBy(session, permit)) PermitWatch.of(session).seen(permit.id)
          }}
        >
          {text(words.permits.notice.act, { customer: nameOf(customer) })}
        </Button>
      )}
      {choicesOf(permit).map((what) => {
        const { act, label } = textsOf(permit, what)
        return (
          <Button
            key={what}
            kind={what === 'grant' ? 'primary' : 'plain'}
            label={label}
            onPress={() => onChoose({ permit, what })}
          >
            {act}
          </Button>
        )
      })}
    </>
  )
}

/** What a decision goes by: it stands in the dialog, which covers the page. */
function DecidedFacts({ permit }: { permit: PermitAnswer }) {
  const { ticket, ticketUrl, reason, scope, until } = permit
  const { application, access, length } = permitSlots(permit)
  return (
    <>
      <dl class="told-facts">
        <Fact name={labels.ticket}>{ticket && <Ticket of={ticket} url={ticketUrl} />}</Fact>
        <Fact name={labels.reason}>{reason && <q class="free">{reason}</q>}</Fact>
        <Fact name={labels.application}>
          <bdi>{application}</bdi>
        </Fact>
        <Fact name={labels.access}>{access}</Fact>
        {until === undefined ? (
          <Fact name={labels.length}>{length}</Fact>
        ) : (
          <MomentFact name={labels.until} at={until} />
        )}
      </dl>
      <details>
        <summary>{labels.details}</summary>
        <dl class="told-facts">
          <Fact name={labels.scope}>
            <code>{scope}</code>
          </Fact>
        </dl>
      </details>
    </>
  )
}

/** Stores a decision, and says what came of it. */
export async function postDecision(
  session: Session,
  permit: PermitAnswer,
  what: PermitChoice | 'review',
  note: string,
): Promise<void> {
  const route = what === 'withdraw' ? 'revoke' : what
  try {
    await session.ask(`/permits/${encodeURIComponent(permit.id)}/${route}`, {
      method: 'POST',
      body: note === '' ? {} : { note },
    })
    say('done', text(labels.done[what], { acting: permitActing(permit) }))
    session.changed(permit.id)
  } catch (error) {
    say('trouble', problemInWords(error))
  }
}

/** Asks once more, with a note. */
export function DecideDialog(props: {
  session: Session
  of: ChosenDecision
  onClose: () => void
  onDone: () => unknown
}) {
  const { session, onClose, onDone } = props
  const { permit, what } = props.of
  const acting = permitActing(permit)
  const confirm = async (note: string) => {
    await postDecision(session, permit, what, note)
    await onDone()
  }
  const { title, act, about } = textsOf(permit, what)
  return (
    <NoteDialog
      title={title}
      confirm={act}
      subject={acting}
      about={about}
      isNeeded={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <DecidedFacts permit={permit} />
    </NoteDialog>
  )
}

/** The dialog of the choice, where there is one. */
export function useDeciding(session: Session, onDone: () => unknown) {
  const [deciding, choose] = useState<ChosenDecision>()
  const dialog = deciding && (
    <DecideDialog
      session={session}
      of={deciding}
      onDone={onDone}
      onClose={() => choose(undefined)}
    />
  )
  return { dialog, choose }
}
