import type { CustomerAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Link, Older } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import type { View } from '../../../web/pages/table.ts'
import type { CustomerPageAnswer } from '../server/customers.ts'
import { ActingNow } from './acting-now.tsx'
import { ImpersonationRows } from './rows.tsx'
import { UnlessKept } from './unless-kept.tsx'
import { Who } from './who.tsx'

/** Who a customer is, who acts as them now, and who did before. */
export const customerPage: View<CustomerPageAnswer> = ({ customer, running, stop, past }, at) => {
  const { operators } = at.words.impersonations
  const { id, name } = customer
  const isActing = running.some(({ isMine }) => isMine)
  return {
    title: name,
    back: { to: at.me.role === 'operator' ? '' : '/customers', label: operators.title },
    body: (
      <>
        <Who customer={customer} />
        <UnlessKept customer={customer} stop={stop}>
          <div class="actions">
            {/* To act again is not what comes next. */}
            <Link to={actPath(id)} class={isActing ? 'button' : 'button primary'}>
              {text(at, operators.actAs, { name })}
            </Link>
          </div>
        </UnlessKept>
        <ActingNow customer={customer} running={running} />
        <section aria-labelledby="past" class="past">
          <h2 id="past">{operators.past.title}</h2>
          <Past of={past} customer={customer} />
        </section>
      </>
    ),
  }
}

function Past(
  { of, customer: { id, name } }: { of: CustomerPageAnswer['past']; customer: CustomerAnswer },
  at: At,
) {
  const { audit, operators } = at.words.impersonations
  if (of === null) return <p class="message trouble">{at.words.web.problems.notShown}</p>
  if (of.rows.length === 0) return <p class="empty">{text(at, operators.past.none, { name })}</p>
  return (
    <>
      <ImpersonationRows rows={of.rows} />
      <Older to={customerPath(id)} next={of.next} label={audit.older} />
    </>
  )
}
