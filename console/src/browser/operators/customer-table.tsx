import type { CustomerAnswer } from '../../api/answers.ts'
import { Badge, type Column, Table } from '../kit.tsx'
import { Link } from '../router.tsx'
import { text, words } from '../text.tsx'
import { actPath, customerPath } from './paths.ts'
import { Details } from './person-details.tsx'

const { columns, ...operators } = words.operators

const COLUMNS: readonly Column<CustomerAnswer>[] = [
  {
    name: columns.name,
    cell: ({ id, name }) => (
      <Link to={customerPath(id)}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  { name: columns.email, cell: ({ email }) => <bdi>{email}</bdi> },
  { name: columns.id, cell: ({ id }) => <bdi class="id">{id}</bdi> },
  { name: columns.details, cell: (customer) => <Details of={customer} /> },
  { name: columns.act, cell: (customer) => <ActLink customer={customer} /> },
]

/** Customers, each with the way to act as them, or why that is forbidden. */
export function CustomerTable(props: { label: string; customers: readonly CustomerAnswer[] }) {
  const { label, customers } = props
  const hasDetails = customers.some(({ details }) => Object.keys(details ?? {}).length > 0)
  const shown = COLUMNS.filter(({ name }) => hasDetails || name !== columns.details)
  return <Table label={label} columns={shown} rows={customers} keyOf={({ id }) => id} />
}

function ActLink({ customer }: { customer: CustomerAnswer }) {
  if (customer.protected !== undefined) {
    return (
      <span class="protected">
        <Badge>{operators.protected}</Badge> <bdi>{customer.protected}</bdi>
      </span>
    )
  }
  return (
    <Link to={actPath(customer.id)} class="button plain">
      <span aria-hidden="true">{operators.act}</span>
      <span class="unseen">{text(operators.actAs, { name: customer.name })}</span>
    </Link>
  )
}
