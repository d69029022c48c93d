// Runs on every page. Without it everything works but what is live. It knows no page and asks for
// nothing but pages: what has changed is fetched again, and morphed into what is shown.
import { Idiomorph } from 'idiomorph'

const { base = '', here = '', now = '', until = '', every = '' } = document.body.dataset
// A form that was refused comes back at the address of its action, which has no page.
if (here !== '') history.replaceState(null, '', here)
/** Milliseconds to add to the clock of this machine, to have that of the server. */
const offset = Number(now) - Date.now()
const RETRY_S = 3
const TYPING_PAUSE_MS = 200
const DOUBLE_CLICK_MS = 500
/** The sign-in is renewed this long before its end: any page does it, by the session at the provider. */
const RENEWAL_S = 30

/** Only for what our own server sent. */
const policy = Object(window).trustedTypes?.createPolicy('pages', {
  createHTML: (html: string) => html,
})

const byId = (id: string) => document.getElementById(id)
const all = <E extends HTMLElement>(selector: string) => document.querySelectorAll<E>(selector)

function show(id: string, isShown: boolean): void {
  const element = byId(id)
  if (element) element.hidden = !isShown
}

let isSignedOut = false
/** The end of the sign-in, in seconds since the epoch. */
let signedInUntil = until

async function fetchPage(address: string): Promise<Document | undefined> {
  const response = await fetch(address, { headers: { accept: 'text/html' }, cache: 'no-store' })
  const isElsewhere = new URL(response.url).pathname !== new URL(address, location.href).pathname
  isSignedOut = response.status === 401 || (response.redirected && isElsewhere)
  show('signed-out', isSignedOut)
  if (response.status >= 500) throw new Error(response.statusText)
  if (isSignedOut || !response.ok) return undefined
  const html = await response.text()
  const page = new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html')
  signedInUntil = page.body.dataset.until ?? ''
  return page
}

const IN_USE =
  '#said, #notices > [role="alert"], form:has([role="alert"], [aria-invalid="true"]), form:focus-within, form[data-changed], details[open]:has(form, textarea), :focus'

/** Checks whether a person is at work there. What they see, choose or type must not move. */
function isInUse(element: Element): boolean {
  const selection = getSelection()
  const isSelected = selection?.isCollapsed === false && selection.containsNode(element, true)
  return element.matches(IN_USE) || (isSelected && element.tagName !== 'MAIN')
}

const KEPT = new Set(['open', 'hidden', 'data-changed', 'data-sent'])

let isStale = false
let isFetching = false

/** Those that are older than the others, since the pointer is there. */
let held: readonly string[] = []
const isPointed = (id: string) =>
  document.querySelector(`#${id} :is(a, button, summary):hover`) !== null

/** Shows the page as it is now, but for what is under the pointer, or in use. */
async function refresh(): Promise<void> {
  // Many changes at once are one request at a time.
  isStale = document.hidden || isFetching
  if (isStale) return
  isFetching = true
  // A list says where it begins: what is newer waits.
  const again = document.querySelector<HTMLElement>('[data-again]')?.dataset.again
  await showAnew(again ?? location.href).finally(() => {
    isFetching = false
  })
}

async function showAnew(address: string): Promise<void> {
  const { href } = location
  const page = await fetchPage(address).catch(() => null)
  // The reader may have gone on.
  if (href !== location.href) return
  // A pressed element must not move, or the click would be lost.
  const isPressed = document.querySelector(':is(a, button, summary):active') !== null
  // A choice that was made since would be lost.
  const isLate = isPressed || typing !== undefined
  isStale ||= page === null || isLate
  show('interrupted', page === null)
  if (!page || isLate) return
  document.title = page.title
  const parts = ['head', 'strip', 'content']
  // A form in use stays: what depends on its values is shown as it came, and it can be sent once.
  for (const form of all<HTMLFormElement>('form[data-foresees]')) {
    parts.push(`${form.dataset.foresees}`)
    const once = page.querySelector<HTMLInputElement>(`#${form.id} [name=once]`)
    if (once && form.once) form.once.value = once.value
  }
  held = parts.filter(isPointed)
  for (const id of parts) if (!held.includes(id)) morph(id, page)
}

/** Shows a part of a page as it came. */
function morph(id: string, page: Document): void {
  const [now, then] = [byId(id), page.getElementById(id)]
  if (!now || !then) return
  void Idiomorph.morph(now, then, {
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (before: Node) => !(before instanceof Element && isInUse(before)),
      beforeNodeRemoved: (node: Node) =>
        !(node instanceof Element && [node, ...node.querySelectorAll('*')].some(isInUse)),
      beforeAttributeUpdated: (name: string) => !KEPT.has(name),
    },
  })
}

let stream: EventSource | undefined
/** The number that the stream sent last. */
let waited: number | undefined

function follow(): void {
  if (every !== '' || isSignedOut || document.hidden) return
  stream = new EventSource(`${base}/stream`)
  let isFirst = true
  stream.addEventListener('changed', ({ data }) => {
    const { ids = [], waits, isOfRunning } = JSON.parse(data)
    const about = [...ids, '*', ...(isOfRunning ? ['running'] : [])]
    const isShown = about.some((id) => document.querySelector(`[data-about~="${CSS.escape(id)}"]`))
    const isNews = waits !== waited || ids.length === 0 || isShown
    // The first one tells that the stream has begun: what is shown is newer.
    if (!isFirst && isNews) void refresh()
    waited = waits
    isFirst = false
  })
  stream.addEventListener('error', () => {
    // The next fetch shows whether the server answers, and whether the sign-in is over.
    isStale = true
    if (stream?.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_S * 1000)
  })
}

/** Eight tabs over HTTP/1.1 would hang on eight streams: a page that nobody sees has none. */
document.addEventListener('visibilitychange', () => {
  stream?.close()
  follow()
  void refresh()
})

/** From then on, what is left is marked. */
const LAST_SECONDS = 30
let seconds = 0

function tick(): void {
  const moment = Date.now() + offset
  for (const time of all('[data-until]:not(body)')) {
    const left = Math.max(0, Math.ceil((Number(time.dataset.until) - moment) / 1000))
    const [minutes, rest] = [Math.floor(left / 60), left % 60]
    isStale ||= left === 0 && time.textContent !== '0:00'
    time.textContent = `${minutes}:${String(rest).padStart(2, '0')}`
    time.classList.toggle('last', left <= LAST_SECONDS)
  }
  seconds += 1
  const isEnding = signedInUntil !== '' && Number(signedInUntil) - moment / 1000 < RENEWAL_S
  const [polled] = all('[data-every]')
  const pause = isEnding && !isSignedOut ? RETRY_S : Number(polled?.dataset.every)
  const isDue = seconds % pause === 0 || (held.length > 0 && !held.some(isPointed))
  if (isStale || isDue) void refresh()
}

/** The query of the last step of the history. A step within a page has the same. */
let { search } = location

/** Shows the page with the values of a form: all those of a filter, or those that the page asks for. */
async function find(form: HTMLFormElement): Promise<void> {
  const isFilter = form.dataset.auto !== undefined
  const address = new URL(isFilter ? form.action : location.href)
  for (const [name, value] of new FormData(form)) {
    const field = form.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)
    const asked = isFilter ? name : field?.dataset.asks
    if (asked && (value || !isFilter)) address.searchParams.set(asked, `${value}`)
  }
  const { href } = address
  if (href !== location.href) history[isFilter ? 'pushState' : 'replaceState'](null, '', href)
  search = location.search
  if (isFilter) delete form.dataset.changed
  // All that was chosen is in the address by now, and the list begins anew.
  clearTimeout(typing)
  typing = undefined
  document.querySelector('[data-again]')?.removeAttribute('data-again')
  await showAnew(href)
}

addEventListener('popstate', () => {
  if (location.search !== search) location.reload()
})

/** Suggests people below a field. */
async function suggest({ dataset, list, value }: HTMLInputElement): Promise<void> {
  const asked = new URLSearchParams({ text: value })
  const page = await fetchPage(`${dataset.suggest}&${asked}`).catch(() => null)
  const options = page?.querySelectorAll('main datalist option') ?? []
  list?.replaceChildren(...[...options].map((option) => document.adoptNode(option)))
}

/** Is set until a person has not typed or chosen for a moment. */
let typing: ReturnType<typeof setTimeout> | undefined

document.addEventListener('input', ({ target }) => {
  const field = target as HTMLInputElement
  const { form, dataset } = field
  if (!form) return
  form.dataset.changed = ''
  clearTimeout(typing)
  typing = setTimeout(() => {
    typing = undefined
    if (dataset.suggest !== undefined) void suggest(field)
    const isSearch = form.dataset.auto !== undefined && field.type === 'search'
    if (isSearch || dataset.asks !== undefined) void find(form)
  }, TYPING_PAUSE_MS)
})

document.addEventListener('change', ({ target }) => {
  const { dataset, form, list, type } = target as HTMLInputElement
  // One person who is found by a part of the name is meant.
  const [first, ...others] = dataset.suggest === undefined ? [] : (list?.options ?? [])
  if (first && others.length === 0) Object(target).value = first.value
  if (form?.dataset.auto !== undefined && type !== 'search') void find(form)
})

document.addEventListener('submit', async (event) => {
  const form = event.target as HTMLFormElement
  if (form.dataset.auto !== undefined) {
    event.preventDefault()
    await find(form)
    document.querySelector<HTMLElement>('main a[autofocus]')?.focus()
    return
  }
  // A form that opens a new tab keeps what was typed. A double click opens one tab.
  if (form.target !== '_blank') delete form.dataset.changed
  else if (form.dataset.sent !== undefined) event.preventDefault()
  // The button may go now.
  else event.submitter?.blur()
  form.dataset.sent = ''
  setTimeout(() => delete form.dataset.sent, DOUBLE_CLICK_MS)
})

/** Presses what has the key. In a field only keys with Ctrl count. */
document.addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  if (event.altKey || event.metaKey || (isTyping && !event.ctrlKey)) return
  const key = event.ctrlKey ? `Control+${event.key}` : event.key
  const form = isTyping ? Object(event.target).form : undefined
  const found = (form ?? document).querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (!(found instanceof HTMLElement)) return
  event.preventDefault()
  if (found.matches('input')) found.focus()
  else found.click()
})

const handOver = document.querySelector<HTMLFormElement>('form[data-send]')
handOver?.submit()
// A page that the browser keeps for *back* does not have it.
handOver?.remove()

/** Leads back to a list as it was left: with its filter, and to the place of the reader. */
document.addEventListener('click', (event) => {
  const { navigation } = Object(window)
  const back = Object(event.target).closest?.('a.back')
  const before = navigation?.entries()[navigation.currentEntry.index - 1]?.url ?? ''
  if (!back || before.split('?')[0] !== back.href) return
  event.preventDefault()
  history.back()
})

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const isNewZone = !document.cookie.includes(`zone=${encodeURIComponent(zone)}`)
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
document.cookie = `zone=${encodeURIComponent(zone)};path=${base};max-age=31536000;samesite=lax`

tick()
setInterval(tick, 1000)
if (isNewZone) void showAnew(location.href)
follow()
