import type { JSX } from 'preact'
import type { At } from './at.ts'
import { pathWith } from './paths.ts'

/** A link to a page of ours. @param props.to below the base: `/audit` */
export function Link(
  props: JSX.AnchorHTMLAttributes<HTMLAnchorElement> & {
    to: string
    /** For screen readers, if the text does not say what it is about. */
    label?: string
  },
  { base }: At,
) {
  const { to, label, children, ...more } = props
  return (
    <a href={base + to} aria-label={label} {...more}>
      {children}
    </a>
  )
}

/** Leads to the older part of a list, if there is one. @param props.asked the query beside that */
export function Older(props: {
  to: string
  next: string | undefined
  asked?: Readonly<Record<string, string>>
  label: string
}) {
  const { to, next, asked, label } = props
  if (next === undefined) return null
  return (
    <Link class="button" to={pathWith(to, { ...asked, before: next })}>
      {label}
    </Link>
  )
}
