import { bannerElement, type ImpersonationBannerElement } from './banner-element.ts'

declare global {
  interface HTMLElementTagNameMap {
    'impersonation-banner': ImpersonationBannerElement
  }
}

/**
 * Defines the banner of an impersonation as a custom element. On a server, and where the name is
 * defined already, it does nothing.
 *
 * @throws DOMException `SyntaxError` where the name is no name of a custom element
 */
export function defineImpersonationBanner(name = 'impersonation-banner'): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return
  customElements.define(name, bannerElement())
}
