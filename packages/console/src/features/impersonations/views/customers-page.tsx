import type { Customer } from '../../../web/customer-directory.ts'
import { type At, counted, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { SearchField } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { actPath, customerPath, pathWith } from '../../../web/kit/paths.ts'
import { NamedPerson } from '../../../web/kit/people.tsx'
import { Table } from '../../../web/kit/table.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { CustomersPageAnswer, PeopleAnswer } from '../server/customers.ts'
import { Details, Email, Stopped } from './customer-page.tsx'

/** Finds a customer. Nothing is listed without a search, but for those as whom the reader acted last. */
export const customersPage: View<CustomersPageAnswer> = (model, { base, here, words }) => {
  const { asked, stop, recents } = model
  const { operators } = words.impersonations
  const [path] = here.split('?')
  return {
    title: operators.title,
    body: (
      <>
        <Stopped by={stop} />
        <search>
          <form method="get" action={`${base}${path}`} data-auto>
            <SearchField
              of={{ id: 'search', name: 'q', value: asked ?? '' }}
              label={operators.search}
              help={operators.searchHelp}
              autofocus={asked === undefined}
            />
          </form>
        </search>
        <Found of={model} />
        {recents?.length === 0 && <p class="empty">{operators.recentsNone}</p>}
        {recents && recents.length > 0 && (
          <section aria-labelledby="recents">
            <h2 id="recents">{operators.recents}</h2>
            <CustomerTable label={operators.recents} customers={recents} />
          </section>
        )}
      </>
    ),
  }
}

/** The line for screen readers is there before the first search. */
function Found({ of }: { of: CustomersPageAnswer }, at: At) {
  const { asked, customers = [], more = false, offset } = of
  const { operators } = at.words.impersonations
  if (asked === undefined) return <p role="status" id="found" class="unseen" />
  const to = offset + customers.length
  const slots = { text: asked, from: offset + 1, to }
  const summary =
    customers.length === 0
      ? text(at, operators.foundNone, slots)
      : more || offset > 0
        ? text(at, operators.foundPart, slots)
        : counted(at, operators.found, customers.length, slots)
  return (
    <>
      <p role="status" id="found" class="found">
        {summary}
      </p>
      {customers.length === 0 ? (
        <p class="empty">{operators.foundNoneHelp}</p>
      ) : (
        <CustomerTable label={summary} customers={customers} asked={asked} />
      )}
      {more && (
        <Link to={pathWith('/customers', { q: asked, offset: to })} class="button">
          {operators.more}
        </Link>
      )}
    </>
  )
}

/**
 * Customers, each with the way to act as them, or why that is forbidden.
 *
 * @param props.asked the words of a search: Enter opens the first customer
 */
function CustomerTable(
  props: { label: string; customers: readonly Customer[]; asked?: string },
  { words }: At,
) {
  const { label, customers, asked } = props
  const hasDetails = customers.some(({ details }) => details !== undefined)
  return (
    <Table
      label={label}
      rows={customers}
      names={words.impersonations.operators.columns}
      cells={{
        name: (customer) => (
          <Link
            to={customerPath(customer.id)}
            autofocus={asked !== undefined && customer === customers[0]}
          >
            <NamedPerson of={customer} />
          </Link>
        ),
        email: ({ email }) => <Email of={email} />,
        id: ({ id }) => <bdi class="id">{id}</bdi>,
        details: hasDetails && ((customer) => <Details of={customer} />),
        act: (customer) => <ActLink customer={customer} />,
      }}
    />
  )
}

function ActLink({ customer: { id, name, protected: why } }: { customer: Customer }, at: At) {
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

/** The options of a field for a person, which the script puts below the field. */
export const peoplePage: View<PeopleAnswer> = ({ people }, { words }) => ({
  title: words.web.suggested,
  body: (
    <datalist>
      {people.map(({ id, name }) => (
        <option key={id} value={id} label={name} />
      ))}
    </datalist>
  ),
})
