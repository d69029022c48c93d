import { add, sheet } from '../dom.ts'
import { splitIsolated } from './names.ts'

/** The elements of a banner, in the order in which they are read and focused. */
export interface BannerView {
  readonly banner: HTMLElement
  readonly who: HTMLElement
  readonly ticket: HTMLElement
  readonly mode: HTMLElement
  readonly review: HTMLElement
  readonly countdown: HTMLElement
  readonly end: HTMLElement
  readonly notice: HTMLElement
  readonly next: HTMLElement
  /** Read by screen readers, and invisible. */
  readonly announcement: HTMLElement
}

export function bannerView(root: ShadowRoot): BannerView {
  root.adoptedStyleSheets = [sheet(BANNER_CSS)]
  const banner = add(root, 'section', { part: 'banner', 'aria-labelledby': 'who' })
  return {
    banner,
    who: add(banner, 'p', { part: 'who', id: 'who' }),
    ticket: add(banner, 'p', { part: 'ticket' }),
    mode: add(banner, 'p', { part: 'mode' }),
    review: add(banner, 'p', { part: 'review' }),
    // A timer is a live region that stays silent.
    countdown: add(banner, 'p', { part: 'countdown', role: 'timer' }),
    end: add(banner, 'button', { part: 'end', type: 'button', 'aria-describedby': 'who' }),
    notice: add(banner, 'p', { part: 'notice', role: 'alert', tabindex: '-1' }),
    next: add(banner, 'slot', { part: 'next', name: 'over' }),
    announcement: add(banner, 'p', { role: 'status' }),
  }
}

const texts = new WeakMap<Element, string>()

/** Shows a text, or hides the element without a text. */
export function write(element: HTMLElement, text = ''): void {
  element.hidden = !text
  // The same text is not written again, so that a selection in it stays.
  if (texts.get(element) !== text) element.replaceChildren(...withNames(text))
  texts.set(element, text)
}

/** The page's own rules for the element win over `:host`. */
const BANNER_CSS = `
:host {
  display: block;
  min-block-size: var(--impersonation-banner-height);
}
@supports not selector(:popover-open) {
  :host { position: sticky; inset-block-start: 0; z-index: 2147483647 }
}
:host([hidden]), [hidden] { display: none !important }
section {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: .25em 1.25em;
  padding: .5em 1em;
  line-height: 1.4;
  overflow-wrap: anywhere;
  --fg: #2b2100;
  --bg: #fff3cd;
  color: var(--impersonation-banner-color, var(--fg));
  background: var(--impersonation-banner-background, var(--bg));
  border: 0;
  border-block-end: .25em solid var(--impersonation-banner-border, #a67c00);
}
[popover] {
  inset: 0 0 auto;
  inline-size: auto;
  margin: 0;
  overflow: visible;
}
[part~=urgent] {
  --fg: #2b2100;
  --bg: #ffc53d;
  color: var(--impersonation-banner-urgent-color, var(--fg));
  background: var(--impersonation-banner-urgent-background, var(--bg));
  border-block-end-style: double;
}
@supports (color: light-dark(red, red)) {
  section { --fg: light-dark(#2b2100, #ffefc2); --bg: light-dark(#fff3cd, #3a2e00) }
  [part~=urgent] { --fg: light-dark(#2b2100, #fff3cd); --bg: light-dark(#ffc53d, #6b4f00) }
}
[part~=over] { border-block-end: .25em dashed }
p, slot { margin: 0; display: block }
bdi, [role=alert] { font-weight: bold }
[part=who] { flex: 1 1 14em }
[part=review] { padding: 0 .5em; border: 2px solid; font-weight: bold }
.long {
  display: -webkit-inline-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  max-inline-size: 100%;
  max-block-size: 2.8em;
  overflow: hidden;
  vertical-align: bottom;
}
[part~=urgent] [role=timer] { font-weight: bold }
[role=alert], slot { flex-basis: 100% }
button {
  font: inherit;
  color: inherit;
  background: transparent;
  padding: .25em 1.25em;
  border: 2px solid;
  border-radius: .25em;
}
[aria-disabled=true] { border-style: dotted }
:focus-visible { outline: 3px solid; outline-offset: 2px }
[role=status] {
  position: absolute;
  inline-size: 1px;
  block-size: 1px;
  overflow: hidden;
  clip-path: inset(50%);
}
@media print, (max-height: 22em) {
  :host { position: static }
  [popover] { position: absolute }
}
@media print {
  section[part] { color: #000; background: #fff; border: 2px solid }
  .long { display: inline }
  [role=timer], button, [role=status] { display: none }
}
`

/**
 * Longer names are cut to some lines on the screen, so that the banner does not cover the page.
 */
const MAX_NAME_LENGTH = 60

/** Text in which each isolated value is an element of its own. */
function withNames(text: string): (string | HTMLElement)[] {
  return splitIsolated(text).map((piece, index) => (index % 2 === 0 ? piece : named(piece)))
}

function named(value: string): HTMLElement {
  const element = document.createElement('bdi')
  element.textContent = value
  element.part.add('name')
  if (value.length > MAX_NAME_LENGTH) {
    element.className = 'long'
    element.title = value
  }
  return element
}
