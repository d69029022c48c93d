import { Page } from '../kit/kit.tsx'
import { Link } from '../kit/router.tsx'
import { text, words } from '../kit/text.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { ActForm } from './act-form.tsx'
import { ActingNow } from './acting-now.tsx'
import { Paused } from './paused.tsx'
import { Who } from './who.tsx'
import { WithCustomer } from './with-customer.tsx'

/** `/act?user=…&ticket=…&reason=…`: a link from a ticket system lands on the filled-in form. */
export function ActPage({ session, page }: PageProps) {
  const { operators } = words.impersonations
  const user = page.query.get('user') ?? ''
  const link = {
    ticket: page.query.get('ticket') ?? '',
    reason: page.query.get('reason') ?? '',
    access: page.query.get('access') === 'change' ? 'change' : 'read',
  }
  if (user === '') {
    return (
      <Page title={operators.notFoundTitle} about={operators.form.noUser}>
        <Link to="/">{operators.toSearch}</Link>
      </Page>
    )
  }
  return (
    <WithCustomer
      session={session}
      id={user}
      title={(name) => text(operators.form.title, { name })}
    >
      {({ customer, running, pause }) => (
        <>
          <Who customer={customer} />
          <ActingNow session={session} customer={customer} running={running} />
          {pause && customer.protected === undefined ? (
            <Paused pause={pause} />
          ) : customer.protected === undefined ? (
            // The key: what was typed for one customer is never shown for another.
            <ActForm
              key={JSON.stringify([customer.id, link])}
              session={session}
              customer={customer}
              link={link}
            />
          ) : (
            <Forbidden name={customer.name} why={customer.protected} />
          )}
        </>
      )}
    </WithCustomer>
  )
}

/** Why the form is not there. */
export function Forbidden({ name, why }: { name: string; why: string }) {
  return (
    <div class="message refused">
      <p>
        {text(words.impersonations.operators.form.forbidden, { name })} <bdi>{why}</bdi>
      </p>
    </div>
  )
}
