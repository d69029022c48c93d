import { render } from 'preact'
import { AccountFrame } from './account/account-frame.tsx'
import { AccountSession } from './account/session.ts'
import { words } from './kit/text.tsx'
import { RequireSignIn } from './session/sign-in-page.tsx'

render(
  <RequireSignIn
    product={words.account.title}
    about={words.account.signInAbout}
    enter={async (signIn) => new AccountSession(signIn)}
  >
    {(session, notice) => <AccountFrame session={session} notice={notice} />}
  </RequireSignIn>,
  document.body,
)
