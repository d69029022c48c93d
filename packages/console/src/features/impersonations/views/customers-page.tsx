import { type At, counted, text } from '../../../web/kit/at.ts'
import { SearchForm } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { StopLine } from '../../../web/kit/stopped.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { CustomersPageAnswer } from '../server/customers.ts'
import { CustomerTable } from './customer-table.tsx'

/** Finds a customer. Nothing is listed without a search, but for those as whom the reader acted last. */
export const customersPage: View<CustomersPageAnswer> = (model, { words }) => {
  const { asked, stop, recents } = model
  const { operators } = words.impersonations
  return {
    title: operators.title,
    body: (
      <>
        {stop && (
          <div class="message refused">
            <StopLine stop={stop} />
          </div>
        )}
        <SearchForm value={asked} label={operators.search} help={operators.searchHelp} />
        <Found of={model} />
        {recents && <Recents of={recents} />}
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
  const next = new URLSearchParams({ q: asked, offset: String(to) })
  return (
    <>
      <p role="status" id="found" class="found">
        {summary}
      </p>
      {customers.length === 0 ? (
        <p class="empty">{operators.foundNoneHelp}</p>
      ) : (
        <CustomerTable isFocused label={summary} customers={customers} asked={asked} />
      )}
      {more && (
        <Link to={`/customers?${next}`} class="button">
          {operators.more}
        </Link>
      )}
    </>
  )
}

function Recents({ of }: { of: NonNullable<CustomersPageAnswer['recents']> }, { words }: At) {
  const { operators } = words.impersonations
  if (of.length === 0) return <p class="empty">{operators.recentsNone}</p>
  return (
    <section aria-labelledby="recents">
      <h2 id="recents">{operators.recents}</h2>
      <CustomerTable label={operators.recents} customers={of} />
    </section>
  )
}
