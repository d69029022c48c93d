import { render } from 'preact'
import { ImpersonationRows } from '../features/impersonations/pages/audit/rows.tsx'
import { start } from '../features/impersonations/pages/running/hand-over.ts'
import { permitPages } from '../features/permits/pages/routes.tsx'
import { words } from '../web/kit/text.tsx'
import { ConsoleSession } from '../web/session/console-session.ts'
import { RequireSignIn } from '../web/session/sign-in-page.tsx'
import { ConsoleFrame } from './console-frame.tsx'

const CONSOLE_PAGES = permitPages(ImpersonationRows)

render(
  <RequireSignIn
    product={words.web.product}
    about={words.web.signInAbout}
    enter={(signIn) => ConsoleSession.enter(signIn, start)}
  >
    {(session, notice) => <ConsoleFrame session={session} routes={CONSOLE_PAGES} notice={notice} />}
  </RequireSignIn>,
  document.body,
)
