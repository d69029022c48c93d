import type { ComponentChildren } from 'preact'
import { Link } from './link.tsx'

/** So many are named: the page that the heading leads to has all. */
const MAX_NAMED = 3

/** Something that waits for the reader: the heading leads to the page of all, and the first few are named. */
export function WaitingCard<T extends { readonly id: string }>(props: {
  heading: string
  to: string
  items: readonly T[]
  children: (item: T) => ComponentChildren
}) {
  const { heading, to, items, children } = props
  if (items.length === 0) return null
  return (
    <section class="card waiting">
      <h3>
        <Link to={to}>{heading}</Link>
      </h3>
      <ul>
        {items.slice(0, MAX_NAMED).map((item) => (
          <li key={item.id}>{children(item)}</li>
        ))}
      </ul>
    </section>
  )
}
