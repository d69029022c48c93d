import { render } from 'preact'
import { words } from '../web/kit/text.tsx'
import { ConsoleSession } from '../web/session/console-session.ts'
import { RequireSignIn } from '../web/session/sign-in-page.tsx'
import { ConsoleFrame } from './console-frame.tsx'

render(
  <RequireSignIn
    product={words.web.product}
    about={words.web.signInAbout}
    enter={(signIn) => ConsoleSession.enter(signIn)}
  >
    {(session, notice) => <ConsoleFrame session={session} routes={[]} notice={notice} />}
  </RequireSignIn>,
  document.body,
)
