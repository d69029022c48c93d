/** Adds an element with DOM methods alone, which need no Trusted Types. */
export function add<Tag extends keyof HTMLElementTagNameMap>(
  to: Node,
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  text = '',
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const name in attributes) made.setAttribute(name, attributes[name] ?? '')
  made.textContent = text
  to.appendChild(made)
  return made
}

/**
 * Makes a constructed style sheet. Content security policies refuse a style element, but not this.
 */
export function sheet(css: string): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(css)
  return made
}
