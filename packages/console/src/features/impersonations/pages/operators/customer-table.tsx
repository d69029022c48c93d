import type { CustomerAnswer } from '../../../../web/answers.ts'
import { Badge } from '../../../../web/kit/badge.tsx'
import { actPath, customerPath } from '../../../../web/kit/paths.ts'
import { Person } from '../../../../web/kit/person.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { Table, type TableColumn } from '../../../../web/kit/table.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import { Email } from './email.tsx'
import { Details } from './person-details.tsx'

const { columns, ...operators } = words.impersonations.operators

const TABLE_COLUMNS: readonly TableColumn<CustomerAnswer>[] = [
  {
    name: columns.name,
    cell: ({ id, name }) => (
      <Link to={customerPath(id)}>
        <Person id={id} name={name} />
      </Link>
    ),
  },
  { name: columns.email, cell: ({ email }) => <Email of={email} /> },
  { name: columns.id, cell: ({ id }) => <bdi class="id">{id}</bdi> },
  { name: columns.details, cell: (customer) => <Details of={customer} /> },
  { name: columns.act, cell: (customer) => <ActButton customer={customer} /> },
]

/**
 * Customers, each with the way to act as them, or why that is forbidden.
 *
 * @param props.text what was searched for: where it is in an id, the ids are shown
 */
export function CustomerTable(props: {
  label: string
  customers: readonly CustomerAnswer[]
  text?: string
}) {
  const { label, customers, text: asked } = props
  const hasId = customers.some((customer) => isFoundById(customer, asked))
  const hasDetails = customers.some(({ details }) => Object.keys(details ?? {}).length > 0)
  const shown = TABLE_COLUMNS.filter(
    ({ name }) => (hasDetails || name !== columns.details) && (hasId || name !== columns.id),
  )
  return <Table label={label} columns={shown} rows={customers} keyOf={({ id }) => id} />
}

function isFoundById({ id, name, email = '' }: CustomerAnswer, asked = ''): boolean {
  const wanted = asked.toLocaleLowerCase()
  const isIn = (value: string) => value.toLocaleLowerCase().includes(wanted)
  return wanted !== '' && isIn(id) && !isIn(name) && !isIn(email)
}

function ActButton({ customer }: { customer: CustomerAnswer }) {
  if (customer.protected !== undefined) {
    return (
      <span class="protected">
        <Badge>{operators.protected}</Badge> <bdi>{customer.protected}</bdi>
      </span>
    )
  }
  return (
    <Link
      to={actPath(customer.id)}
      class="button plain"
      label={text(operators.actAs, { name: customer.name })}
    >
      {operators.act}
    </Link>
  )
}
