/** The page's own rules for the element win over `:host`. */
const BANNER_CSS = `
:host {
  display: block;
  position: sticky;
  inset-block-start: 0;
  z-index: 1000;
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
  border-block-end: .25em solid var(--impersonation-banner-border, #a67c00);
}
[part~=urgent] {
  --fg: #fff;
  --bg: #9b1c1c;
  color: var(--impersonation-banner-urgent-color, var(--fg));
  background: var(--impersonation-banner-urgent-background, var(--bg));
  border-block: .5em double;
}
@supports (color: light-dark(red, red)) {
  section { --fg: light-dark(#2b2100, #ffefc2); --bg: light-dark(#fff3cd, #3a2e00) }
  [part~=urgent] { --fg: light-dark(#fff, #1f0000); --bg: light-dark(#9b1c1c, #ffb4ab) }
}
[part~=over] { border-block-end: .25em dashed }
p, slot { margin: 0; display: block }
bdi, [role=alert] { font-weight: bold }
[part=who] { flex: 1 1 14em }
.long {
  display: -webkit-inline-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  max-inline-size: 100%;
  max-block-size: 2.8em;
  overflow: hidden;
  vertical-align: bottom;
}
[part~=urgent] [role=timer] { font-size: 1.4em; font-weight: bold }
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
@media (max-height: 22em) {
  :host { position: static }
}
@media print {
  :host { position: static }
  section[part] { color: #000; background: #fff; border: 2px solid }
  .long { display: inline }
  [role=timer], button, [role=status] { display: none }
}
`

/** Content security policies do not refuse a constructed style sheet, as they do a style element. */
export function bannerStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(BANNER_CSS)
  return sheet
}
