import { withNames } from './names.ts'
import { bannerStyle } from './style.ts'

/** The elements of a banner, in the order in which they are read and focused. */
export interface BannerView {
  readonly banner: HTMLElement
  readonly who: HTMLElement
  readonly ticket: HTMLElement
  readonly mode: HTMLElement
  readonly countdown: HTMLElement
  readonly end: HTMLElement
  readonly notice: HTMLElement
  readonly next: HTMLElement
  /** Heard by screen readers, and not seen. */
  readonly announcement: HTMLElement
}

/** Fills a shadow root with DOM methods alone: they need no Trusted Types. */
export function bannerView(root: ShadowRoot): BannerView {
  const add = (to: Node, tag: string, attributes: Record<string, string>) => {
    const made = document.createElement(tag)
    for (const name in attributes) made.setAttribute(name, attributes[name] ?? '')
    to.appendChild(made)
    return made
  }
  root.adoptedStyleSheets = [bannerStyle()]
  const banner = add(root, 'section', { part: 'banner', 'aria-labelledby': 'who' })
  return {
    banner,
    who: add(banner, 'p', { part: 'who', id: 'who' }),
    ticket: add(banner, 'p', { part: 'ticket' }),
    mode: add(banner, 'p', { part: 'mode' }),
    // A timer is a live region that stays silent.
    countdown: add(banner, 'p', { part: 'countdown', role: 'timer' }),
    end: add(banner, 'button', { part: 'end', type: 'button', 'aria-describedby': 'who' }),
    notice: add(banner, 'p', { part: 'notice', role: 'alert', tabindex: '-1' }),
    next: add(banner, 'slot', { part: 'next', name: 'over' }),
    announcement: add(banner, 'p', { role: 'status' }),
  }
}

const texts = new WeakMap<Element, string>()

/** Shows a text, and an element without a text not at all. */
export function write(element: HTMLElement, text = ''): void {
  element.hidden = !text
  // The same text is not written again, so that a selection in it stays.
  if (texts.get(element) !== text) element.replaceChildren(...withNames(text))
  texts.set(element, text)
}
