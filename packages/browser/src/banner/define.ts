/**
 * Defines the banner of an impersonation as a custom element. It loads the code then, so that
 * pages without an impersonation do not have it. On a server, and if the name is defined already,
 * this does nothing.
 *
 * @throws DOMException `SyntaxError` if the name cannot be that of a custom element; TypeError if
 * the code cannot be loaded
 */
export async function defineImpersonationBanner(name = 'impersonation-banner'): Promise<void> {
  if (typeof customElements === 'undefined') return
  const { bannerElement } = await import('./banner-element.ts')
  if (!customElements.get(name)) customElements.define(name, bannerElement())
}
