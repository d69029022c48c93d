import type { ComponentChildren } from 'preact'
import type { PageView } from '../pages/table.ts'
import type { At } from './at.ts'
import { ActionButton } from './form.tsx'
import { Link } from './link.tsx'

/** The logo of the firm, or the mark of the console: two circles, one in the place of the other. */
export function Mark(_: object, { brand }: At) {
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

/** The frame around the content of every page. The script fills and shows the two notices. */
export function Frame(
  props: {
    product: string
    /** Between the name of the product and the way out. */
    head?: ComponentChildren
    /** Between the head and the page. */
    strip?: ComponentChildren
    /** A part that is read out when it comes. */
    news?: ComponentChildren
    children: ComponentChildren
  },
  { brand, base, lost, said, words }: At,
) {
  const { product, head, strip, news, children } = props
  return (
    <>
      <a class="skip" href="#content">
        {words.web.skip}
      </a>
      <header class="head" id="head">
        <a href={base} class="brand">
          <Mark />
          <span class="product">
            {brand && <span class="firm">{brand.name} </span>}
            {product}
          </span>
        </a>
        {head}
        <ActionButton action="/sign-out" kind="quiet">
          {words.web.signOut}
        </ActionButton>
      </header>
      <div id="strip">{strip}</div>
      <main id="content" tabIndex={-1}>
        <div role="status" id="notices">
          {said && (
            <p class="message done" id="said" tabIndex={-1} autofocus>
              {said}
            </p>
          )}
          {lost && (
            <p class="message refused" role="alert">
              {lost}
            </p>
          )}
          {news}
          <p class="message trouble" id="interrupted" hidden>
            {words.web.interrupted}
          </p>
          <p class="message trouble" id="signed-out" hidden>
            {words.web.signInEnds.expired}{' '}
            <a href={`${base}/enter`} target="_blank" rel="noopener">
              {words.web.signInAgain}
            </a>
          </p>
        </div>
        {children}
      </main>
    </>
  )
}

/** A page within the frame. */
export function Page({ of: { title, about, back, ids, isNarrow, body } }: { of: PageView }) {
  return (
    <section class={isNarrow ? 'page narrow' : 'page'} data-about={ids?.join(' ')}>
      {/* The script goes back in the history if the list is there. */}
      {back && (
        <p class="back-line">
          <Link to={back.to} class="back" data-key="Escape">
            {back.label}
          </Link>
        </p>
      )}
      <h1>{title}</h1>
      {about && <p class="about">{about}</p>}
      {body}
    </section>
  )
}

/** In place of a part of a page that cannot be shown now. */
export function NotShown(_: object, { words }: At) {
  return (
    <p class="message trouble" role="alert">
      {words.web.problems.notShown}
    </p>
  )
}
