import type { CustomerAnswer } from '../../../web/answers.ts'

/** Addresses up to this length stay on one line of a table. */
const MAX_LENGTH_ON_ONE_LINE = 32

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

/** An e-mail address. */
export function Email({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return <bdi class={of.length <= MAX_LENGTH_ON_ONE_LINE ? 'email whole' : 'email'}>{of}</bdi>
}

/** What helps to tell customers apart, as the directory of the deployment names it. */
export function Details({ of: { details = {} } }: { of: CustomerAnswer }) {
  const all = Object.entries(details)
  if (all.length === 0) return null
  return (
    <dl class="details">
      {all.map(([label, value]) => (
        <div key={label}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
