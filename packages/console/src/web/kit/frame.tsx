import type { ComponentChildren } from 'preact'
import { Messages } from './message.tsx'
import { Link } from './router.tsx'
import { brand, words } from './text.tsx'

/** The logo of the firm, or the mark of the console: two circles, one in the place of the other. */
export function Mark() {
  if (brand?.logo) return <img class="mark" src={brand.logo} height="28" alt="" />
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <circle class="mark-line" cx="12.5" cy="16" r="7.5" />
      <circle class="mark-line" cx="19.5" cy="16" r="7.5" />
      <path class="mark-heart" d="M16 9.37a7.5 7.5 0 0 1 0 13.26a7.5 7.5 0 0 1 0-13.26z" />
    </svg>
  )
}

/** What every page has. `head` stands between the name of the product and the end of the head. */
export function Frame(props: {
  product: string
  head?: ComponentChildren
  notice?: ComponentChildren
  /** Between the head and the page. */
  strip?: ComponentChildren
  children: ComponentChildren
}) {
  const { product, head, notice, strip, children } = props
  return (
    <>
      <a class="skip" href="#content">
        {words.web.skip}
      </a>
      <header class="head">
        <Link to="/" class="brand">
          <Mark />
          <span class="product">
            {brand && <span class="firm">{brand.name} </span>}
            {product}
          </span>
        </Link>
        {head}
      </header>
      {strip}
      <main id="content" tabIndex={-1}>
        {notice}
        <Messages />
        {children}
      </main>
    </>
  )
}
