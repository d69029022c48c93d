import { useEffect, useState } from 'preact/hooks'
import type { PermitAnswer } from '../../api/permits/answers.ts'
import { Button, shortTime } from '../kit/kit.tsx'
import { permitPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { text, words } from '../kit/text.tsx'
import { nameOf } from '../running/names.ts'
import type { Session } from '../session/session.ts'
import { PermitWatch } from './permit-watch.ts'
import { startBy } from './starting.ts'

const { notice: labels } = words.permits

/**
 * Tells an operator on every page that a request of theirs was decided, also while no page was open, with one
 * click to act. It lies above the page, so nothing moves, and takes no focus.
 */
export function PermitNotice({ session }: { session: Session }) {
  const [shown, setShown] = useState<readonly PermitAnswer[]>([])
  useEffect(() => {
    if (session.me.role === 'auditor') return
    const watch = PermitWatch.of(session)
    return watch.listen((decided) => {
      const news = decided.filter(({ state }) => state === 'granted' || state === 'refused')
      setShown((before) => [
        ...news,
        // What was taken back meanwhile is no news.
        ...before.filter(
          ({ id, state }) =>
            !news.some((each) => each.id === id) &&
            (state === 'refused' || watch.permits.some((permit) => permit.id === id)),
        ),
      ])
    })
  }, [session])
  const dismiss = (id: string) => {
    PermitWatch.of(session).seen(id)
    setShown((before) => before.filter((each) => each.id !== id))
  }

  const [permit] = shown
  if (!permit) return <div class="alarm-notice" role="status" />
  const { id, state } = permit
  const isGranted = state === 'granted'
  const customer = nameOf(permit.customer)
  return (
    <div class="alarm-notice" role="status">
      <div class={`message ${isGranted ? 'done' : 'refused'}`}>
        <p>
          {inWords(permit)} <Link to={permitPath(id)}>{labels.page}</Link>
        </p>
        {isGranted && (
          <Button
            kind="primary"
            onPress={async () => {
              if (await startBy(session, permit)) dismiss(id)
            }}
          >
            {text(labels.act, { customer })}
          </Button>
        )}
        <Button kind="quiet" onPress={() => dismiss(id)}>
          {words.web.dismiss}
        </Button>
      </div>
    </div>
  )
}

function inWords({ state, customer: who, until = 0, decisions }: PermitAnswer): string {
  const customer = nameOf(who)
  if (state === 'granted') return text(labels.granted, { customer, time: shortTime(until) })
  const note = decisions.find(({ isGranted }) => !isGranted)?.note
  return note === undefined
    ? text(labels.refused, { customer })
    : text(labels.refusedWith, { customer, note })
}
