import { useState } from 'preact/hooks'
import type { PermitAnswer } from '../../api/permits/answers.ts'
import { Button } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { NoteDialog } from '../kit/note-dialog.tsx'
import { text, words } from '../kit/text.tsx'
import { nameOf } from '../running/names.ts'
import type { Session } from '../session/session.ts'
import { actingOf, problemInWords, slotsOf } from './in-words.ts'
import { PermitWatch } from './permit-watch.ts'
import { startBy } from './starting.ts'

const { permits: labels } = words

export type Decision = 'grant' | 'lift' | 'refuse' | 'review' | 'revoke' | 'withdraw'

/** What the reader may do with a permit, in the order of the buttons. */
export function choicesOf({ may, isMine, state }: PermitAnswer): readonly Decision[] {
  return [
    ...(may.includes('review') ? (['review'] as const) : []),
    ...(may.includes('grant') ? (['grant', 'refuse'] as const) : []),
    ...(may.includes('lift') ? (['lift'] as const) : []),
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
  Record<Decision, { act: string; label: string; title: string; about: string }>
> = {
  grant: {
    ...{ act: labels.grant, label: labels.grantLabel },
    ...{ title: labels.grantTitle, about: labels.grantAbout },
  },
  refuse: {
    ...{ act: labels.refuse, label: labels.refuseLabel },
    ...{ title: labels.refuseTitle, about: labels.refuseAbout },
  },
  lift: {
    ...{ act: labels.lift, label: labels.liftLabel },
    ...{ title: labels.liftTitle, about: labels.liftAbout },
  },
  revoke: {
    ...{ act: labels.revoke, label: labels.revokeLabel },
    ...{ title: labels.revokeTitle, about: labels.revokeAbout },
  },
  withdraw: {
    ...{ act: labels.withdraw, label: labels.withdrawLabel },
    ...{ title: labels.withdrawTitle, about: labels.withdrawAbout },
  },
  review: {
    ...{ act: labels.reviewAct, label: labels.reviewLabel },
    ...{ title: labels.reviewTitle, about: labels.reviewDialog },
  },
}

export interface Deciding {
  readonly permit: PermitAnswer
  readonly what: Decision
}

/**
 * The buttons of a permit: who asked may act by it. Each other one opens a dialog that names person, customer
 * and scope.
 */
export function DecideButtons(props: {
  session: Session
  permit: PermitAnswer
  onChoose: (deciding: Deciding) => void
}) {
  const { session, permit, onChoose } = props
  const acting = actingOf(permit)
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
      {choicesOf(permit).map((what) => (
        <Button
          key={what}
          kind={what === 'grant' || what === 'review' ? 'primary' : 'plain'}
          label={text(TEXT_BY_DECISION[what].label, { acting })}
          onPress={() => onChoose({ permit, what })}
        >
          {TEXT_BY_DECISION[what].act}
        </Button>
      ))}
    </>
  )
}

/** Asks once more, with a note, and says what came of it. */
export function DecideDialog(props: {
  session: Session
  of: Deciding
  onClose: () => void
  onDone: () => unknown
}) {
  const { session, onClose, onDone } = props
  const { permit, what } = props.of
  const acting = actingOf(permit)
  const confirm = async (note: string) => {
    const route = what === 'withdraw' ? 'revoke' : what
    try {
      await session.ask(`/permits/${encodeURIComponent(permit.id)}/${route}`, {
        method: 'POST',
        body: note === '' ? {} : { note },
      })
      say('done', text(labels.done[what], { acting }))
      session.changed(permit.id)
    } catch (error) {
      say('trouble', problemInWords(error))
    }
    await onDone()
  }
  const about = text(TEXT_BY_DECISION[what].about, slotsOf(permit))
  return (
    <NoteDialog
      title={TEXT_BY_DECISION[what].title}
      confirm={TEXT_BY_DECISION[what].act}
      subject={[acting, `${slotsOf(permit).application}: ${permit.scope}`]}
      about={about}
      isNeeded={what === 'review'}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}

/** The dialog of the choice, where there is one. */
export function useDeciding(session: Session, onDone: () => unknown) {
  const [deciding, choose] = useState<Deciding>()
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
