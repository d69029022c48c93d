import { render } from 'preact'
import { actingPages } from '../features/impersonations/pages/routes.tsx'
import { start } from '../features/impersonations/pages/running/hand-over.ts'
import { AskForApproval, approvalNeeded } from '../features/permits/pages/ask-for-approval.tsx'
import { PreviewHint } from '../features/permits/pages/preview.tsx'
import { words } from '../web/kit/text.tsx'
import { ConsoleSession } from '../web/session/console-session.ts'
import { RequireSignIn } from '../web/session/sign-in-page.tsx'
import { ConsoleFrame } from './console-frame.tsx'

const CONSOLE_PAGES = [
  ...actingPages({ needIn: approvalNeeded, Hint: PreviewHint, Ask: AskForApproval }),
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
