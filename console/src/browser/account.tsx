import { render } from 'preact'
import { AccountFrame } from './account/account-frame.tsx'
import { AccountSession } from './account/session.ts'
import { Gate } from './gate.tsx'
import { words } from './text.tsx'

render(
  <Gate
    product={words.account.title}
    about={words.account.signInAbout}
    enter={async (signIn) => new AccountSession(signIn)}
  >
    {(session, notice) => <AccountFrame session={session} notice={notice} />}
  </Gate>,
  document.body,
)
