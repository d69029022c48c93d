import type { ComponentChildren } from 'preact'
import { Link } from './router.tsx'

/** So many are named: the page that the heading leads to has all. */
const MAX_NAMED = 3

/** Something that waits for the reader: the heading leads to the page of all, and the first few are named. */
export function WaitingCard<T>(props: {
  heading: string
  to: string
  items: readonly T[]
  keyOf: (item: T) => string
  children: (item: T) => ComponentChildren
}) {
  const { heading, to, items, keyOf, children } = props
  return (
    <section class="card waiting">
      <h3>
        <Link to={to}>{heading}</Link>
      </h3>
      <ul>
        {items.slice(0, MAX_NAMED).map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
    </section>
  )
}
