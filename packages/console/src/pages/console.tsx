import { render } from 'preact'
import { AlarmsWaiting } from '../features/alarms/pages/alarms-waiting.tsx'
import { actingPages, auditPages } from '../features/impersonations/pages/routes.tsx'
import { start } from '../features/impersonations/pages/running/hand-over.ts'
import { RunningNow } from '../features/impersonations/pages/running/running-now.tsx'
import { overviewPages } from '../features/overview/pages/routes.tsx'
import { AskForApproval, approvalNeeded } from '../features/permits/pages/ask-for-approval.tsx'
import { PreviewHint } from '../features/permits/pages/preview.tsx'
import { RequestsWaiting, ReviewsWaiting } from '../features/permits/pages/waiting.tsx'
import { words } from '../web/kit/text.tsx'
import { ConsoleSession } from '../web/session/console-session.ts'
import { RequireSignIn } from '../web/session/sign-in-page.tsx'
import { ConsoleFrame } from './console-frame.tsx'

const CONSOLE_PAGES = [
  ...overviewPages({
    Running: RunningNow,
    waiting: [RequestsWaiting, ReviewsWaiting, AlarmsWaiting],
  }),
  ...actingPages({ needIn: approvalNeeded, Hint: PreviewHint, Ask: AskForApproval }),
  ...auditPages,
]

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
