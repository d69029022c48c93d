import { render } from 'preact'
import { auditRoutes } from './audit/routes.ts'
import { ConsoleFrame } from './console-frame.tsx'
import { words } from './kit/text.tsx'
import { operatorRoutes } from './operators/routes.ts'
import { permitRoutes } from './permits/routes.ts'
import { runningRoutes } from './running/routes.ts'
import { ConsoleSession } from './session/console-session.ts'
import { RequireSignIn } from './session/sign-in-page.tsx'

const CONSOLE_PAGES = [...operatorRoutes, ...runningRoutes, ...permitRoutes, ...auditRoutes]

render(
  <RequireSignIn
    product={words.web.product}
    about={words.web.signInAbout}
    enter={(signIn) => ConsoleSession.enter(signIn)}
  >
    {(session, notice) => <ConsoleFrame session={session} routes={CONSOLE_PAGES} notice={notice} />}
  </RequireSignIn>,
  document.body,
)
