import { Page } from '../../../../web/kit/page.tsx'
import { actPath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { ActingNow } from './acting-now.tsx'
import { Past } from './past.tsx'
import { UnlessKept } from './unless-kept.tsx'
import { Who } from './who.tsx'
import { WithCustomer } from './with-customer.tsx'

/** `/customers/:id`: who they are, who acts as them now, and who did before. */
export function CustomerPage({ session, params }: PageProps) {
  const { operators } = words.impersonations
  const { id } = params
  if (id === undefined) return <Page title={operators.notFoundTitle} />
  return (
    <WithCustomer session={session} id={id} title={(name) => name}>
      {({ customer, running, pause }) => (
        <>
          <Who customer={customer} />
          <UnlessKept customer={customer} pause={pause}>
            <div class="actions">
              <Link
                to={actPath(customer.id)}
                class={running.some(({ isMine }) => isMine) ? 'button' : 'button primary'}
              >
                {text(operators.actAs, { name: customer.name })}
              </Link>
            </div>
          </UnlessKept>
          <section aria-labelledby="now">
            <h2 id="now">{text(operators.now.title, { name: customer.name })}</h2>
            <ActingNow session={session} customer={customer} running={running} others />
          </section>
          <Past key={customer.id} session={session} customer={customer} running={running} />
        </>
      )}
    </WithCustomer>
  )
}
