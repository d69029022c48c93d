import type { CustomerAnswer } from '../../../../web/answers.ts'
import { Email } from './email.tsx'
import { Details } from './person-details.tsx'

/** Who a customer is: what the operator compares with the ticket. */
export function Who({ customer }: { customer: CustomerAnswer }) {
  return (
    <div class="who">
      <p>
        <Email of={customer.email} />
        <bdi class="id">{customer.id}</bdi>
      </p>
      <Details of={customer} />
    </div>
  )
}
