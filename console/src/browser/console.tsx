import { render } from 'preact'
import { auditRoutes } from './audit/routes.ts'
import { ConsoleFrame } from './console-frame.tsx'
import { ConsoleSession } from './console-session.ts'
import { Gate } from './gate.tsx'
import { operatorRoutes } from './operators/routes.ts'
import { runningRoutes } from './running/routes.ts'
import { words } from './text.tsx'

const ROUTES = [...operatorRoutes, ...runningRoutes, ...auditRoutes]

render(
  <Gate
    product={words.frame.product}
    about={words.frame.signInAbout}
    enter={(signIn) => ConsoleSession.enter(signIn)}
  >
    {(session, notice) => <ConsoleFrame session={session} routes={ROUTES} notice={notice} />}
  </Gate>,
  document.body,
)
