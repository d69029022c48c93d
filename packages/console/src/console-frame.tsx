import type { ComponentChildren } from 'preact'
import type { StripAnswer } from './features/impersonations/server/strip.ts'
import { Strip } from './features/impersonations/views/strip.tsx'
import type { News } from './features/permits/server/api/find.ts'
import { NewsOfRecords } from './features/permits/views/news.tsx'
import { MAX_COUNTED } from './kernel/limits.ts'
import { counted, type StaffAt, shortCount, text } from './web/kit/at.ts'
import { Badge } from './web/kit/badge.tsx'
import { ActionButton } from './web/kit/form.tsx'
import { Frame } from './web/kit/frame.tsx'
import { Link } from './web/kit/link.tsx'

/** The reader of a page in the frame, how much waits for them, and what they run, and what was decided. */
export interface FrameAt extends StaffAt {
  readonly waits: number
  readonly strip: StripAnswer | undefined
  readonly news: News
}

/** A link in the head. */
interface HeadLink {
  readonly to: string
  readonly label: string
  /** Further pages that it stands for, with all below them. */
  readonly holds?: readonly string[]
}

function linksFor({ me, words }: FrameAt): readonly HeadLink[] {
  const { impersonations, personalData, records, web } = words
  const { audit, operators, running } = impersonations
  const erasing = me.mayErase ? [{ to: '/personal-data', label: personalData.title }] : []
  const settings = { to: '/rules', label: web.settings, holds: ['/personal-data'] }
  const past = (label: string) => ({ to: '/audit', label, holds: ['/records'] })
  switch (me.role) {
    case 'operator':
      return [
        { to: '', label: operators.title, holds: ['/customers', '/act', '/continue'] },
        past(audit.linkOwn),
        ...erasing,
      ]
    case 'lead':
      return [
        { to: '', label: records.inbox },
        { to: '/customers', label: operators.title, holds: ['/act', '/continue'] },
        past(audit.title),
        settings,
      ]
    case 'auditor':
      return [{ to: '', label: running.title }, past(audit.title), settings]
  }
}

/** The frame of a signed-in person. */
export function ConsoleFrame({ children }: { children: ComponentChildren }, at: FrameAt) {
  const { here, me, news, strip, words } = at
  const [path = ''] = here.split(/\/?(?:\?|$)/)
  const isBelow = (page: string) => path === page || (page !== '' && path.startsWith(`${page}/`))
  const head = (
    <>
      <nav aria-label={words.web.navigation}>
        <ul>
          {linksFor(at).map(({ to, label, holds = [] }) => (
            <li key={to}>
              <Link to={to} current={[to, ...holds].some(isBelow)}>
                {label}
                {to === '' && at.waits > 0 && <Count />}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <span class="me">
        <bdi class="person">{me.name}</bdi> <Badge>{words.web.roles[me.role]}</Badge>
      </span>
      <ActionButton action="/sign-out" kind="quiet">
        {words.web.signOut}
      </ActionButton>
    </>
  )
  return (
    <Frame
      product={words.web.product}
      head={head}
      strip={strip && <Strip of={strip} />}
      news={<NewsOfRecords of={news} />}
    >
      {children}
    </Frame>
  )
}

/** Shows the number of things that wait for the reader. */
function Count(_: object, at: FrameAt) {
  const label = waitingText(at)
  return (
    <span class="count" title={label}>
      <span aria-hidden="true">{shortCount(at.waits)}</span>
      <span class="unseen">{label}</span>
    </span>
  )
}

/** Says in a sentence what waits for the reader. */
export function waitingText(at: FrameAt): string {
  const { nothingWaits, waits, waitsMore } = at.words.overview
  if (at.waits === 0) return nothingWaits
  if (at.waits > MAX_COUNTED) return text(at, waitsMore, { count: MAX_COUNTED })
  return counted(at, waits, at.waits)
}
