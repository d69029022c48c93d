import type { CustomerAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import { Person } from '../../../web/kit/person.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Details, Email } from './who.tsx'

/**
 * Customers, each with the way to act as them, or why that is forbidden.
 *
 * @param props.asked what was searched for: where it is in an id, the ids are shown
 * @param props.isFocused the first one has the focus: Enter opens it
 */
export function CustomerTable(
  props: {
    label: string
    customers: readonly CustomerAnswer[]
    asked?: string
    isFocused?: boolean
  },
  { words }: At,
) {
  const { label, customers, asked, isFocused } = props
  const { columns } = words.impersonations.operators
  const hasId = customers.some((customer) => isFoundById(customer, asked))
  const hasDetails = customers.some(({ details }) => details !== undefined)
  return (
    <Table
      label={label}
      rows={customers}
      keyOf={({ id }) => id}
      columns={[
        {
          name: columns.name,
          cell: (customer) => (
            <Link to={customerPath(customer.id)} autofocus={isFocused && customer === customers[0]}>
              <Person id={customer.id} name={customer.name} />
            </Link>
          ),
        },
        { name: columns.email, cell: ({ email }) => <Email of={email} /> },
        hasId && { name: columns.id, cell: ({ id }) => <bdi class="id">{id}</bdi> },
        hasDetails && { name: columns.details, cell: (customer) => <Details of={customer} /> },
        { name: columns.act, cell: (customer) => <ActLink customer={customer} /> },
      ]}
    />
  )
}

function isFoundById({ id, name, email = '' }: CustomerAnswer, asked = ''): boolean {
  const wanted = asked.toLocaleLowerCase()
  const isIn = (value: string) => value.toLocaleLowerCase().includes(wanted)
  return wanted !== '' && isIn(id) && !isIn(name) && !isIn(email)
}

function ActLink({ customer: { id, name, protected: why } }: { customer: CustomerAnswer }, at: At) {
  const { operators } = at.words.impersonations
  if (why !== undefined) {
    return (
      <span class="protected">
        <Badge>{operators.protected}</Badge> <bdi>{why}</bdi>
      </span>
    )
  }
  return (
    <Link to={actPath(id)} class="button plain" label={text(at, operators.actAs, { name })}>
      {operators.act}
    </Link>
  )
}
