import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { MAX_COUNTED } from '../kernel/limits.ts'
import { ACTING_ROLES, ALL_ROLES, SUPERVISING_ROLES } from '../kernel/roles.ts'
import { Badge } from '../web/kit/badge.tsx'
import { Button } from '../web/kit/button.tsx'
import { Frame } from '../web/kit/frame.tsx'
import { clearMessage, say } from '../web/kit/message.tsx'
import { Page } from '../web/kit/page.tsx'
import { go, goBack, HOME_PATH, Link, usePageLocation } from '../web/kit/router.tsx'
import { Shortcuts, useShortcut } from '../web/kit/shortcuts.tsx'
import { counted, text, words } from '../web/kit/text.tsx'
import { setTitleCount } from '../web/kit/title.ts'
import type { ConsoleSession } from '../web/session/console-session.ts'
import { useWaiting } from '../web/session/counts.ts'
import { paramsOf, type Route } from '../web/session/page-routes.ts'
import { inWords } from '../web/session/problem.ts'

/** Pages that come from the server. */
const SERVER_PAGES: readonly ServerPage[] = [
  { path: '/', roles: SUPERVISING_ROLES, label: words.overview.title },
  { path: '/running', roles: SUPERVISING_ROLES, label: words.impersonations.running.title },
  {
    ...{ path: '/alarms', roles: SUPERVISING_ROLES, label: words.alarms.page.title },
    shows: 'alarms',
  },
  { path: '/act', roles: ACTING_ROLES },
  { path: '/continue/:id', roles: ACTING_ROLES },
  { path: '/customers', roles: ACTING_ROLES, label: words.impersonations.operators.title },
  { path: '/customers/:id', roles: ACTING_ROLES },
  {
    ...{ path: '/approvals', roles: ALL_ROLES, label: words.permits.title },
    ...{ needs: 'permits', shows: 'toDecide' },
  },
  { path: '/approvals/history', roles: ALL_ROLES },
  { path: '/approvals/:id', roles: ALL_ROLES },
  { path: '/audit', roles: ['operator'], label: words.impersonations.audit.linkOwn },
  { path: '/audit', roles: SUPERVISING_ROLES, label: words.impersonations.audit.title },
  { path: '/audit/:id', roles: ALL_ROLES },
  { path: '/pauses', roles: ALL_ROLES },
  { path: '/pauses/:id', roles: ALL_ROLES },
  { path: '/rules', roles: SUPERVISING_ROLES, label: words.rules.title },
  {
    ...{ path: '/personal-data', roles: ALL_ROLES, label: words.personalData.title },
    needs: 'mayErase',
  },
]

interface ServerPage extends Pick<Route, 'needs' | 'path' | 'roles' | 'shows'> {
  readonly label?: string
}

/** The frame of a signed-in person, with the page that the address names. */
export function ConsoleFrame(props: {
  session: ConsoleSession
  routes: readonly Route[]
  notice?: ComponentChildren
}) {
  const { session, notice } = props
  const { me } = session
  const page = usePageLocation()
  const routes = props.routes.filter(
    ({ roles, needs }) => roles.includes(me.role) && (!needs || me[needs]),
  )
  const count = useWaiting(session)
  useEffect(() => setTitleCount(count), [count])
  useShortcut('Escape', words.web.shortcutBack, goBack, { otherwise: true })
  const found = findPage(routes, page.path)
  const isOfServer = SERVER_PAGES.some(({ path }) => paramsOf(path, page.path))
  useEffect(() => {
    if (!found && isOfServer) location.reload()
  }, [page.path, found])

  useEffect(() => {
    addEventListener('popstate', clearMessage)
    return () => removeEventListener('popstate', clearMessage)
  }, [])

  const head = (
    <>
      <nav aria-label={words.web.navigation}>
        <ul>
          {routes.map(({ path, link, shows }) =>
            link === undefined ? null : (
              <li key={path}>
                <Link to={path} current={isBelow(page.path, path)}>
                  {link}
                  {shows && <LinkCount session={session} of={shows} />}
                </Link>
              </li>
            ),
          )}
          {SERVER_PAGES.filter(
            ({ label, roles, needs }) =>
              label !== undefined && roles.includes(me.role) && (!needs || me[needs]),
          ).map(({ path, label, shows }) => (
            <li key={path}>
              <a href={HOME_PATH + path}>
                {label}
                {shows && <LinkCount session={session} of={shows} />}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <span class="me">
        <bdi class="person">{me.name}</bdi> <Badge>{words.web.roles[me.role]}</Badge>
      </span>
      <Button kind="quiet" onPress={() => signOut(session)}>
        {words.web.signOut}
      </Button>
    </>
  )
  return (
    <Frame
      product={words.web.product}
      head={head}
      notice={notice || <Interrupted session={session} />}
    >
      <Shortcuts />
      <SearchShortcut to={routes.find(({ hasSearch }) => hasSearch)?.path ?? '/'} />
      {found ? (
        <found.route.page
          key={found.route.path}
          session={session}
          page={page}
          params={found.params}
        />
      ) : (
        <Page title={words.web.notFoundTitle} about={words.web.notFound}>
          <Link to="/" class="button">
            {words.web.toStart}
          </Link>
        </Page>
      )}
    </Frame>
  )
}

/** How long the stream may be away before the page says so, in milliseconds. */
const INTERRUPTION_MS = 3000

/** Says that what is shown may be old, while the server tells of no changes. */
function Interrupted({ session }: { session: ConsoleSession }) {
  const [isLive, setLive] = useState(session.isLive)
  const [isLong, setLong] = useState(false)
  // An effect begins after the page is drawn: what the stream said before is not told again.
  useEffect(() => {
    setLive(session.isLive)
    return session.onLive(setLive)
  }, [session])
  useEffect(() => {
    if (isLive) return
    const timer = setTimeout(() => setLong(true), INTERRUPTION_MS)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isLive])
  if (isLive || !isLong) return null
  return (
    <p class="message trouble" role="status">
      {words.web.interrupted}
    </p>
  )
}

/** Leads to the page with the search from every other page. */
function SearchShortcut({ to }: { to: string }) {
  const search = () => {
    go(to)
    afterPaint(() => document.querySelector<HTMLInputElement>('input[type=search]')?.focus())
  }
  useShortcut('/', words.web.shortcutSearch, search, { otherwise: true })
  return null
}

/** Calls it when the new page has been drawn, and its heading has the focus. */
function afterPaint(then: () => void): void {
  requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(then))))
}

function findPage(routes: readonly Route[], path: string) {
  for (const route of routes) {
    const params = paramsOf(route.path, path)
    if (params) return { route, params }
  }
  return undefined
}

const isBelow = (path: string, link: string) =>
  path === link || (link !== '/' && path.startsWith(`${link}/`))

function LinkCount({ session, of }: { session: ConsoleSession; of: NonNullable<Route['shows']> }) {
  const [count, setCount] = useState(session.counts[of])
  useEffect(() => {
    setCount(session.counts[of])
    return session.onChange((change) => setCount(change[of] ?? 0))
  }, [session])
  if (count === 0) return null
  const { alarms, permits } = words
  const [exact, more] =
    of === 'alarms' ? [alarms.toLookAt, alarms.toLookAtMore] : [permits.waits, permits.waitsMore]
  const isMore = count > MAX_COUNTED
  const label = isMore ? text(more, { count: MAX_COUNTED }) : counted(exact, count)
  return (
    <span class={of === 'alarms' ? 'count alarm' : 'count'} title={label}>
      <span aria-hidden="true">{isMore ? `>${MAX_COUNTED}` : count}</span>
      <span class="unseen">{label}</span>
    </span>
  )
}

async function signOut(session: ConsoleSession): Promise<void> {
  try {
    await session.signOut()
  } catch (error) {
    say(
      'trouble',
      `${words.web.signOutFailed} ${inWords(error)}`,
      { label: words.web.tryAgain, run: () => signOut(session) },
      { label: words.web.signOutAnyway, run: () => session.leave() },
    )
  }
}
