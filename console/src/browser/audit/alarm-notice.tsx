import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../api/answers.ts'
import { Button } from '../kit.tsx'
import { auditPath } from '../paths.ts'
import { Link } from '../router.tsx'
import type { Session } from '../session.ts'
import { counted, text, words } from '../text.tsx'
import { AlarmWatch, alarmKey } from './alarm-watch.ts'
import { nameOf } from './in-words.tsx'
import { isFirstTab } from './one-tab.ts'

const { audit } = words

/**
 * Tells leads and auditors of an alarm that comes while the page is open. It lies above the page, so
 * nothing moves, and takes no focus. Of the tabs of a browser, the one that is seen first tells it.
 */
export function AlarmNotice({ session }: { session: Session }) {
  const [told, setTold] = useState<readonly RowAnswer[]>([])
  const waiting = useRef<readonly RowAnswer[]>([])
  useEffect(() => {
    if (session.me.role === 'operator') return
    const watch = AlarmWatch.of(session)
    const tell = async () => {
      if (document.hidden) return
      const open = new Set(watch.rows.map(alarmKey))
      const news = waiting.current.filter((row) => open.has(alarmKey(row)))
      waiting.current = []
      const first = await Promise.all(news.map((row) => isFirstTab(`alarm ${alarmKey(row)}`)))
      const mine = news.filter((_, index) => first[index])
      // What was acknowledged meanwhile is no news.
      setTold((told) => [...mine, ...told.filter((row) => open.has(alarmKey(row)))])
    }
    const unlisten = watch.listen((fresh) => {
      waiting.current = [...waiting.current, ...fresh]
      void tell()
    })
    const see = () => void tell()
    document.addEventListener('visibilitychange', see)
    return () => {
      unlisten()
      document.removeEventListener('visibilitychange', see)
    }
  }, [session])

  const [row] = told
  return (
    <div class="alarm-notice" role="status">
      {row && (
        <div class="message refused">
          <p>
            {told.length === 1 ? inWords(row) : counted(audit.alarmsNotice, told.length)}{' '}
            <Link to={told.length === 1 ? auditPath(row.id) : '/alarms'}>
              {audit.alarmsPage.open}
            </Link>
          </p>
          <Button kind="quiet" onPress={() => setTold([])}>
            {words.frame.dismiss}
          </Button>
        </div>
      )}
    </div>
  )
}

function inWords({ alarm, operator, customer }: RowAnswer): string {
  return text(audit.alarmNotice, {
    alarm: alarm?.kinds.map((kind) => audit.alarms[kind]).join('. ') ?? '',
    operator: nameOf(operator),
    customer: nameOf(customer),
  })
}
