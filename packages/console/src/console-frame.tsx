import type { ComponentChildren } from 'preact'
import type { StripAnswer } from './features/impersonations/server/strip.ts'
import { Strip } from './features/impersonations/views/strip.tsx'
import { MAX_COUNTED } from './kernel/limits.ts'
import type { News } from './records/api/record.ts'
import { NewsOfRecords } from './records/views/news.tsx'
import { counted, type StaffAt, shortCount, text } from './web/kit/at.ts'
import { Badge } from './web/kit/badge.tsx'
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
  /** The pages that it stands for, if each has a tab. */
  readonly tabs?: readonly HeadLink[]
}

function linksFor({ me: { mayErase, role }, words }: FrameAt): readonly HeadLink[] {
  const { impersonations, personalData, records, rules, web } = words
  const { audit, operators, running } = impersonations
  const isOperator = role === 'operator'
  const erasing = mayErase ? [{ to: '/personal-data', label: personalData.title }] : []
  const customers = {
    to: isOperator ? '' : '/customers',
    label: operators.title,
    holds: ['/customers', '/act', '/continue'],
  }
  const past = {
    to: '/audit',
    label: isOperator ? audit.linkOwn : audit.title,
    tabs: [
      { to: '/audit', label: audit.tab },
      { to: '/records', label: records.history.title },
    ],
  }
  if (isOperator) return [customers, past, ...erasing]
  const tabs = [{ to: '/rules', label: rules.title }, ...erasing]
  const settings = { to: '/rules', label: web.settings, tabs }
  return role === 'lead'
    ? [{ to: '', label: records.inbox }, customers, past, settings]
    : [{ to: '', label: running.title }, past, settings]
}

/** The frame of a signed-in person. */
export function ConsoleFrame({ children }: { children: ComponentChildren }, at: FrameAt) {
  const { here, me, news, strip, words } = at
  const [path = ''] = here.split(/\/?(?:\?|$)/)
  const links = linksFor(at)
  const isBelow = (page: string) => path === page || (page !== '' && path.startsWith(`${page}/`))
  const isCurrent = ({ to, holds = [], tabs = [] }: HeadLink) =>
    [to, ...holds, ...tabs.map((tab) => tab.to)].some(isBelow)
  const open = links.find(({ tabs }) => tabs?.some(({ to }) => to === path))
  const head = (
    <>
      <nav aria-label={words.web.navigation}>
        <ul>
          {links.map((link) => (
            <li key={link.to}>
              <Link to={link.to} aria-current={isCurrent(link) ? 'page' : undefined}>
                {link.label}
                {link.to === '' && at.waits > 0 && <Count />}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <span class="me">
        <bdi class="person">{me.name}</bdi> <Badge>{words.web.roles[me.role]}</Badge>
      </span>
    </>
  )
  return (
    <Frame
      product={words.web.product}
      head={head}
      strip={strip && <Strip of={strip} />}
      news={<NewsOfRecords of={news} />}
    >
      {open?.tabs && open.tabs.length > 1 && (
        <nav class="tabs" aria-label={open.label}>
          {open.tabs.map(({ to, label }) => (
            <Link key={to} to={to} aria-current={to === path ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
      )}
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
