import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../api/console/answers.ts'
import { Button } from '../kit/kit.tsx'
import { auditPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { counted, text, words } from '../kit/text.tsx'
import type { Session } from '../session/session.ts'
import { AlarmWatch, urgencyKey } from './alarm-watch.ts'
import { nameOf } from './in-words.tsx'
import { isFirstTab } from './one-tab.ts'

const { alarms } = words

/**
 * Tells leads and auditors of an urgent alarm that comes while the page is open. It lies above the page, so
 * nothing moves, and takes no focus. Of the tabs of a browser, the one that is seen first tells it.
 */
export function AlarmNotice({ session }: { session: Session }) {
  const [shown, setShown] = useState<readonly RowAnswer[]>([])
  const waiting = useRef<readonly RowAnswer[]>([])
  useEffect(() => {
    if (session.me.role === 'operator') return
    const watch = AlarmWatch.of(session)
    const announce = async () => {
      if (document.hidden) return
      const open = new Set(watch.urgent.map(urgencyKey))
      const news = waiting.current.filter((row) => open.has(urgencyKey(row)))
      waiting.current = []
      const first = await Promise.all(news.map((row) => isFirstTab(`alarm ${urgencyKey(row)}`)))
      const mine = news.filter((_, index) => first[index])
      // What was acknowledged meanwhile is no news.
      setShown((shown) => [...mine, ...shown.filter((row) => open.has(urgencyKey(row)))])
    }
    const unlisten = watch.listen((fresh) => {
      waiting.current = [...waiting.current, ...fresh]
      void announce()
    })
    const see = () => void announce()
    document.addEventListener('visibilitychange', see)
    return () => {
      unlisten()
      document.removeEventListener('visibilitychange', see)
    }
  }, [session])

  const [row] = shown
  return (
    <div class="alarm-notice" role="status">
      {row && (
        <div class="message refused">
          <p>
            {shown.length === 1 ? inWords(row) : counted(alarms.notices, shown.length)}{' '}
            <Link to={shown.length === 1 ? auditPath(row.id) : '/alarms'}>{alarms.page.open}</Link>
          </p>
          <Button kind="quiet" onPress={() => setShown([])}>
            {words.web.dismiss}
          </Button>
        </div>
      )}
    </div>
  )
}

function inWords({ alarm, operator, customer }: RowAnswer): string {
  return text(alarms.notice, {
    alarm: alarm?.kinds.map((kind) => alarms.kinds[kind]).join('. ') ?? '',
    operator: nameOf(operator),
    customer: nameOf(customer),
  })
}
