import type { ComponentChildren } from 'preact'
import type { StripAnswer } from './features/impersonations/server/strip.ts'
import { Strip } from './features/impersonations/views/strip.tsx'
import type { PermitNews as News } from './features/permits/server/api/news.ts'
import { NewsOfPermits } from './features/permits/views/news.tsx'
import { MAX_COUNTED } from './kernel/limits.ts'
import { ALL_ROLES, type Role, SUPERVISING_ROLES } from './kernel/roles.ts'
import { counted, type StaffAt, shortCount, text } from './web/kit/at.ts'
import { Badge } from './web/kit/badge.tsx'
import { ActionButton } from './web/kit/form.tsx'
import { Frame } from './web/kit/frame.tsx'
import { Link } from './web/kit/link.tsx'
import type { Words } from './web/words/words.ts'

/** The reader of a page in the frame, how much waits for them, and what they run, and what was decided. */
export interface FrameAt extends StaffAt {
  readonly counts: { readonly alarms: number; readonly toDecide: number }
  readonly strip: StripAnswer | undefined
  readonly news: News
}

/** A link in the head. */
interface HeadLink {
  readonly to: string
  readonly roles: readonly Role[]
  readonly label: (words: Words) => string
  readonly shows?: 'alarms' | 'toDecide'
  readonly needs?: 'mayErase' | 'permits'
}

const LINKS: readonly HeadLink[] = [
  { to: '', roles: ['operator'], label: ({ impersonations }) => impersonations.operators.title },
  { to: '', roles: SUPERVISING_ROLES, label: ({ overview }) => overview.title },
  {
    to: '/customers',
    roles: ['lead'],
    label: ({ impersonations }) => impersonations.operators.title,
  },
  {
    to: '/running',
    roles: SUPERVISING_ROLES,
    label: ({ impersonations }) => impersonations.running.title,
  },
  {
    ...{ to: '/approvals', roles: ALL_ROLES, needs: 'permits', shows: 'toDecide' },
    label: ({ permits }) => permits.title,
  },
  {
    to: '/audit',
    roles: ['operator'],
    label: ({ impersonations }) => impersonations.audit.linkOwn,
  },
  {
    to: '/audit',
    roles: SUPERVISING_ROLES,
    label: ({ impersonations }) => impersonations.audit.title,
  },
  {
    to: '/alarms',
    roles: SUPERVISING_ROLES,
    label: ({ alarms }) => alarms.page.title,
    shows: 'alarms',
  },
  { to: '/rules', roles: SUPERVISING_ROLES, label: ({ rules }) => rules.title },
  {
    ...{ to: '/personal-data', roles: ALL_ROLES, needs: 'mayErase' },
    label: ({ personalData }) => personalData.title,
  },
]

/** The frame of a signed-in person. @param props.path of the page that is shown, below the base */
export function ConsoleFrame(
  { path, children }: { path: string; children: ComponentChildren },
  { counts, me, news, strip, words }: FrameAt,
) {
  const links = LINKS.filter(({ roles, needs }) => roles.includes(me.role) && (!needs || me[needs]))
  const isCurrent = (to: string) => path === to || (to !== '' && path.startsWith(`${to}/`))
  const head = (
    <>
      <nav aria-label={words.web.navigation}>
        <ul>
          {links.map(({ to, label, shows }) => (
            <li key={to}>
              <Link to={to} current={isCurrent(to)}>
                {label(words)}
                {shows && counts[shows] > 0 && <Count of={shows} count={counts[shows]} />}
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
      news={<NewsOfPermits of={news} />}
    >
      {children}
    </Frame>
  )
}

function Count({ of, count }: { of: 'alarms' | 'toDecide'; count: number }, at: FrameAt) {
  const { alarms, permits } = at.words
  const [exact, more] =
    of === 'alarms' ? [alarms.toLookAt, alarms.toLookAtMore] : [permits.waits, permits.waitsMore]
  const isMore = count > MAX_COUNTED
  const label = isMore ? text(at, more, { count: MAX_COUNTED }) : counted(at, exact, count)
  return (
    <span class={of === 'alarms' ? 'count alarm' : 'count'} title={label}>
      <span aria-hidden="true">{shortCount(count)}</span>
      <span class="unseen">{label}</span>
    </span>
  )
}
