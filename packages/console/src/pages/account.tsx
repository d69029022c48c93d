import { render } from 'preact'
import { AccountFrame } from '../features/account/pages/account-frame.tsx'
import { AccountPermits, usePermits } from '../features/permits/pages/account-permits.tsx'
import { words } from '../web/kit/text.tsx'
import { CustomerSession } from '../web/session/customer-session.ts'
import { RequireSignIn } from '../web/session/sign-in-page.tsx'

render(
  <RequireSignIn
    product={words.account.title}
    about={words.account.signInAbout}
    enter={async (signIn) => new CustomerSession(signIn)}
  >
    {(session, notice) => (
      <AccountFrame
        session={session}
        notice={notice}
        permitPart={{ use: usePermits, Show: AccountPermits }}
      />
    )}
  </RequireSignIn>,
  document.body,
)
