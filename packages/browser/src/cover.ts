import { add, sheet } from './dom.ts'
import {
  ENGLISH_COVER_TEXTS,
  type ImpersonationCoverTexts,
  reasonOf,
  type SessionEnd,
} from './texts.ts'
import { ENTERING, fiveTimesASecond, isReached } from './top-layer.ts'

/** The interval of checks for a dialog without an event, in milliseconds. */
const LOOK_MS = 1000

/** The dialog fills the window, in the top layer, above the page's own elements there. */
const COVER_CSS = `
dialog {
  box-sizing: border-box;
  min-inline-size: 100%;
  min-block-size: 100%;
  border: 0;
  padding: 15vh max(1.5em, 50% - 17em) 2em;
  font: 100%/1.5 system-ui, sans-serif;
  color: CanvasText;
  background: Canvas;
  overflow: auto;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.5em; line-height: 1.25; margin: 0 }
h1:focus { outline: 0 }
textarea { box-sizing: border-box; inline-size: 100%; block-size: 10em }
button { font: inherit; padding: .5em 1.25em }
`

/** Hides the page also when it is printed, or puts an element above the dialog. */
const HIDING_CSS = 'body > :not([data-impersonation-cover]) { display: none !important }'

/** The contents of the cover. */
export interface Covered {
  /** The reason why the session is over. */
  readonly state: 'ended' | 'expired'
  readonly ending: SessionEnd | undefined
  readonly userName: string | undefined
  /** The operator's unsaved input. */
  readonly drafts: string
  readonly texts: Partial<ImpersonationCoverTexts>
}

/** Covers the page for good. Its contents are out of sight, and out of the accessibility tree. */
export function coverPage({ state, ending, drafts, userName, texts: own }: Covered): void {
  const texts = { ...ENGLISH_COVER_TEXTS, ...own }
  const host = document.createElement('div')
  host.setAttribute('data-impersonation-cover', '')
  const root = host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [sheet(COVER_CSS)]
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet(HIDING_CSS)]

  const dialog = add(root, 'dialog', { 'aria-labelledby': 'over', 'aria-describedby': 'why' })
  const heading = add(dialog, 'h1', { id: 'over', tabindex: '-1' }, texts.over({ userName }))
  add(dialog, 'p', { id: 'why' }, texts[state === 'expired' ? state : reasonOf(ending)])
  add(dialog, 'p', {}, texts.next)
  if (drafts) offerCopy(dialog, drafts, texts)
  // The Escape key closes a dialog.
  dialog.addEventListener('close', () => !dialog.open && dialog.showModal())
  document.body.append(host)
  dialog.showModal()
  heading.focus()

  // The newest modal dialog makes all others inert, even if it is invisible.
  const raise = fiveTimesASecond(() => {
    if (!host.isConnected) return
    const focused = root.activeElement as HTMLElement | null
    dialog.close()
    dialog.showModal()
    ;(focused ?? heading).focus()
  })
  for (const type of ENTERING) document.addEventListener(type, raise, true)
  setInterval(() => isReached(host, dialog) || raise(), LOOK_MS)
}

function offerCopy(dialog: Node, drafts: string, texts: ImpersonationCoverTexts): void {
  const button = add(dialog, 'button', {}, texts.copy)
  const status = add(dialog, 'p', { role: 'status' })
  const byHand = add(dialog, 'textarea', { readonly: '', hidden: '' }, drafts)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(drafts)
      status.textContent = texts.copied
    } catch {
      status.textContent = texts.copyByHand
      byHand.setAttribute('aria-label', texts.copyByHand)
      byHand.hidden = false
      byHand.select()
    }
  })
}
