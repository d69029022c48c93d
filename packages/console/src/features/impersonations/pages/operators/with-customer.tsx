import type { ComponentChildren } from 'preact'
import { Page } from '../../../../web/kit/page.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import { isNotThere, Loaded } from '../../../../web/session/load.tsx'
import type { Session } from '../../../../web/session/session.ts'
import type { CustomerPageAnswer } from '../../server/customers.ts'
import { useCustomer } from './customer.ts'

/** A page about one customer: the heading names them, or says that there is none. */
export function WithCustomer(props: {
  session: Session
  id: string
  /** The heading, by the name of the customer. */
  title: (name: string) => string
  /** Whether it is a form. */
  narrow?: true | undefined
  children: (answer: CustomerPageAnswer) => ComponentChildren
}) {
  const { session, id, title, narrow, children } = props
  const { operators } = words.impersonations
  const loading = useCustomer(session, id)
  const { value, error } = loading
  if (isNotThere(error)) {
    return (
      <Page
        narrow={narrow}
        title={operators.notFoundTitle}
        about={text(operators.notFound, { id })}
      >
        <Link to="/customers">{operators.toSearch}</Link>
      </Page>
    )
  }
  return (
    <Page narrow={narrow} title={title(value?.customer.name ?? id)}>
      <Loaded of={loading} label={operators.loadingCustomer} lines={6}>
        {children}
      </Loaded>
    </Page>
  )
}
