import { present } from 'oidc-provider-impersonation-verify/format'
import { Link } from '../../../web/kit/link.tsx'
import { actPath } from '../../../web/kit/paths.ts'
import { Person } from '../../../web/kit/person.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { ContinueAnswer } from '../server/continue.ts'
import { ContinueButton } from './strip.tsx'

/** Where an application leads after a reload: one press goes on. */
export const continuePage: View<ContinueAnswer> = ({ row, access, wayOn }, { words }) => {
  const { customer, ticket, reason } = row
  const { running } = words.impersonations
  const why = { refused: running.continueGone, needs: running.continueNeeds, allowed: undefined }
  return {
    title: running.continuePage.title,
    isNarrow: true,
    body: (
      <>
        {wayOn && (
          <p>
            <Text of={running.acted} customer={<Person {...customer} />} /> <Ticket of={row} />{' '}
            <bdi class="free">{reason}</bdi>
          </p>
        )}
        {wayOn && why[wayOn] && <p>{why[wayOn]}</p>}
        <div class="actions">
          {wayOn === 'allowed' && <ContinueButton of={row} isFirst />}
          <Link to={actPath(customer.id, present({ ticket, reason, access }))}>
            {running.toForm}
          </Link>
        </div>
      </>
    ),
  }
}
