import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../../web/answers.ts'
import { personName } from '../../../web/kit/in-words.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { counted, text, words } from '../../../web/kit/text.tsx'
import { Toast } from '../../../web/kit/toast.tsx'
import type { Session } from '../../../web/session/session.ts'
import { AlarmWatch, alarmKey } from './alarm-watch.ts'
import { isFirstTab } from './one-tab.ts'

const { alarms } = words

/**
 * Tells leads and auditors of an alarm that comes while the page is open. It lies above the page, so
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
      const open = new Set(watch.rows.map(alarmKey))
      const news = waiting.current.filter((row) => open.has(alarmKey(row)))
      waiting.current = []
      const first = await Promise.all(news.map((row) => isFirstTab(`alarm ${alarmKey(row)}`)))
      const mine = news.filter((_, index) => first[index])
      // What was acknowledged meanwhile is no news.
      setShown((shown) => [...mine, ...shown.filter((row) => open.has(alarmKey(row)))])
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
  const gone = () => setShown([])
  const isOne = shown.length === 1
  return (
    <Toast
      of={
        row && {
          key: shown.map(alarmKey).join(),
          tone: 'refused',
          children: (
            <p>
              {isOne ? alarmInWords(row) : counted(alarms.notices, shown.length)}{' '}
              <Link to={isOne ? auditPath(row.id) : '/alarms'} onFollow={gone}>
                {alarms.page.open}
              </Link>
            </p>
          ),
        }
      }
      onGone={gone}
    />
  )
}

function alarmInWords({ alarm, operator, customer }: RowAnswer): string {
  return text(alarms.notice, {
    alarm: alarm?.kinds.map((kind) => alarms.kinds[kind]).join('. ') ?? '',
    operator: personName(operator),
    customer: personName(customer),
  })
}
