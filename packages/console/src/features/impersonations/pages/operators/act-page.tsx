import { Page } from '../../../../web/kit/page.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { ActForm, type ApprovalPart } from './act-form.tsx'
import { ActingNow } from './acting-now.tsx'
import { UnlessKept } from './unless-kept.tsx'
import { Who } from './who.tsx'
import { WithCustomer } from './with-customer.tsx'

/** `/act?user=…&ticket=…&reason=…`: a link from a ticket system lands on the filled-in form. */
export function ActPage<T>(props: PageProps & { approvalPart: ApprovalPart<T> }) {
  const { session, page, approvalPart } = props
  const { operators } = words.impersonations
  const user = page.query.get('user') ?? ''
  const link = {
    ticket: page.query.get('ticket') ?? '',
    reason: page.query.get('reason') ?? '',
    access: page.query.get('access') === 'change' ? 'change' : 'read',
  }
  if (user === '') {
    return (
      <Page narrow title={operators.notFoundTitle} about={operators.form.noUser}>
        <Link to="/customers">{operators.toSearch}</Link>
      </Page>
    )
  }
  return (
    <WithCustomer
      narrow
      session={session}
      id={user}
      title={(name) => text(operators.form.title, { name })}
    >
      {({ customer, running, pause }) => (
        <>
          <Who customer={customer} />
          <ActingNow session={session} customer={customer} running={running} />
          <UnlessKept customer={customer} pause={pause}>
            <ActForm
              // What was typed for one customer is never shown for another.
              key={JSON.stringify([customer.id, link])}
              session={session}
              customer={customer}
              link={link}
              approvalPart={approvalPart}
            />
          </UnlessKept>
        </>
      )}
    </WithCustomer>
  )
}
