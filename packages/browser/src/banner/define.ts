/**
 * Defines the banner of an impersonation as a custom element. Its code is loaded then, so that
 * pages in which no operator acts do not have it. On a server, and where the name is defined
 * already, this does nothing.
 *
 * @throws DOMException `SyntaxError` where the name is no name of a custom element; TypeError where
 * the code cannot be loaded
 */
export async function defineImpersonationBanner(name = 'impersonation-banner'): Promise<void> {
  if (typeof customElements === 'undefined') return
  const { bannerElement } = await import('./banner-element.ts')
  if (!customElements.get(name)) customElements.define(name, bannerElement())
}
