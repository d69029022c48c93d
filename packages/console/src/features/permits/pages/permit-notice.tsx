import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { text, words } from '../../../web/kit/text.tsx'
import { Toast } from '../../../web/kit/toast.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { PermitAnswer } from '../server/api/answers.ts'
import { noticeInWords } from './in-words.ts'
import { PermitWatch } from './permit-watch.ts'
import { startBy } from './starting.ts'

const { notice: labels } = words.permits

/**
 * Tells an operator on every page that a request of theirs was decided, also while no page was open, with one
 * click to act.
 *
 * @param props.mayAct whether it has the button to act: not beside a form that acts, perhaps as another customer
 */
export function PermitNotice({ session, mayAct }: { session: Session; mayAct: boolean }) {
  const [shown, setShown] = useState<readonly PermitAnswer[]>([])
  useEffect(() => {
    if (session.me.role === 'auditor') return
    const watch = PermitWatch.of(session)
    return watch.listen((decided) => {
      const news = decided.filter(
        ({ id, state }) => (state === 'granted' || state === 'refused') && !watch.isFollowed(id),
      )
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
  const gone = () => permit && dismiss(permit.id)
  const isGranted = permit?.state === 'granted'
  return (
    <Toast
      of={
        permit && {
          key: `${permit.id} ${permit.state}`,
          tone: isGranted ? 'done' : 'refused',
          children: (
            <>
              <p>
                {noticeInWords(permit)}{' '}
                <Link to={permitPath(permit.id)} onFollow={gone}>
                  {labels.page}
                </Link>
              </p>
              {isGranted && mayAct && (
                <Button
                  onPress={async () => {
                    if (await startBy(session, permit)) gone()
                  }}
                >
                  {text(labels.act, { customer: nameOf(permit.customer) })}
                </Button>
              )}
            </>
          ),
        }
      }
      onGone={gone}
    />
  )
}
