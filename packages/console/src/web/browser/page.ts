// Runs on every page. Without it everything works but what is live. It knows no page and asks for
// nothing but pages: what has changed is fetched again, and morphed into what is shown.
import { Idiomorph } from 'idiomorph'

const { base = '', here = '', now = '', until = '', every = '' } = document.body.dataset
/** Milliseconds to add to the clock of this machine, to have that of the server. */
const offset = Number(now) - Date.now()
let { title } = document
/** How long the stream may be away before the page says so, in milliseconds. */
const INTERRUPTION_MS = 3000
const TYPING_PAUSE_MS = 200
const DOUBLE_CLICK_MS = 500

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

async function fetchPage(address: string): Promise<Document | undefined> {
  const response = await fetch(address, { headers: { accept: 'text/html' }, cache: 'no-store' })
  const isElsewhere = new URL(response.url).pathname !== new URL(address, location.href).pathname
  if (response.status === 401 || (response.redirected && isElsewhere)) {
    show('signed-out', true)
    show('interrupted', false)
    isSignedOut = true
    return undefined
  }
  if (response.status >= 500) throw new Error(response.statusText)
  if (!response.ok) return undefined
  if (isSignedOut) show('signed-out', false)
  isSignedOut = false
  const html = await response.text()
  return new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html')
}

/** Whether a person is at work there: what they see, choose or type must not move. */
function isInUse(element: Element): boolean {
  if (
    element.matches(
      '#said, #notices > [role="alert"], form:has([role="alert"], [aria-invalid="true"]), form:focus-within, form[data-changed], details[open]:has(form, textarea), :focus',
    )
  )
    return true
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true)
    ? element.tagName !== 'MAIN'
    : false
}

const KEPT = new Set(['open', 'hidden', 'data-changed', 'data-sent'])

let isStale = false
let isFetching = false

const PARTS = ['head', 'strip', 'content']
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
  await showAnew(again ?? (here || location.href)).finally(() => {
    isFetching = false
  })
}

async function showAnew(address: string): Promise<void> {
  const { href } = location
  const page = await fetchPage(address).catch(() => null)
  // The reader may have gone on.
  if (href !== location.href) return
  isStale ||= page === null
  show('interrupted', page === null)
  if (!page) return
  title = page.title
  held = PARTS.filter(isPointed)
  for (const id of PARTS) if (!held.includes(id)) morph(id, page)
  for (const form of all<HTMLFormElement>('form[data-foresees]')) {
    if (isInUse(form)) void foresee(form)
  }
  prepare()
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

let foreseen = 0

/** Shows what a form would do now, and leaves what is typed as it is. */
async function foresee(form: HTMLFormElement): Promise<void> {
  const query = new URLSearchParams(location.search)
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-asks]')) {
    if (field.type !== 'radio' || field.checked) query.set(`${field.dataset.asks}`, field.value)
  }
  foreseen += 1
  const asked = foreseen
  const page = await fetchPage(`${location.pathname}?${query}`).catch(() => undefined)
  if (!page || asked !== foreseen) return
  // It is good once.
  const once = page.querySelector<HTMLInputElement>(`#${form.id} [name=once]`)
  if (once && form.once) form.once.value = once.value
  const id = `${form.dataset.foresees}`
  if (isPointed(id)) held = [...held, id]
  else morph(id, page)
  prepare()
}

/** Whether a change is of something that this page shows. */
function concernsPage(ids: readonly string[], isOfRunning: boolean): boolean {
  const about = [...all('[data-about]')].flatMap(({ dataset }) => dataset.about?.split(' ') ?? [])
  if (ids.length === 0 || about.includes('*') || (isOfRunning && about.includes('running'))) {
    return true
  }
  return ids.some((id) => about.includes(id))
}

let stream: EventSource | undefined
/** How much waits for the reader, as the stream said last. */
let counts = ''
let interruption: ReturnType<typeof setTimeout> | undefined

function follow(): void {
  if (every !== '' || isSignedOut) return
  stream = new EventSource(`${base}/stream`)
  stream.addEventListener('open', () => {
    clearTimeout(interruption)
    interruption = undefined
    show('interrupted', false)
  })
  let isFirst = true
  stream.addEventListener('changed', ({ data }) => {
    const { ids = [], alarms, toDecide, isOfRunning } = JSON.parse(data)
    const before = counts
    counts = `${alarms} ${toDecide}`
    // The first one tells that the stream has begun: what is shown is newer.
    if (!isFirst && (counts !== before || concernsPage(ids, isOfRunning))) void refresh()
    isFirst = false
  })
  stream.addEventListener('error', () => {
    interruption ??= setTimeout(() => show('interrupted', !isSignedOut), INTERRUPTION_MS)
    // The server refused it: the sign-in may be over.
    if (stream?.readyState === EventSource.CLOSED) {
      setTimeout(() => !document.hidden && follow(), INTERRUPTION_MS)
      void refresh()
    }
  })
}

/** Eight tabs over HTTP/1.1 would hang on eight streams: a page that nobody sees has none. */
document.addEventListener('visibilitychange', () => {
  stream?.close()
  if (document.hidden) return
  follow()
  void refresh()
})

/** Signs in again by the session at the provider before the sign-in is over. */
function renew(): void {
  const left = Number(until) * 1000 - Date.now()
  if (until === '') return
  setTimeout(
    () => void fetchPage(here || location.href).catch(() => {}),
    Math.max(0, left - 30_000),
  )
}

/** From then on, what is left is marked. */
const LAST_SECONDS = 30
let seconds = 0

function tick(): void {
  const moment = Date.now() + offset
  let last = ''
  for (const time of all('[data-until]:not(body)')) {
    const left = Math.max(0, Math.ceil((Number(time.dataset.until) - moment) / 1000))
    const [minutes, rest] = [Math.floor(left / 60), left % 60]
    isStale ||= left === 0 && time.textContent !== '0:00'
    time.textContent = `${minutes}:${String(rest).padStart(2, '0')}`
    time.classList.toggle('last', left <= LAST_SECONDS)
    // Other tabs show the title.
    const { title } = time.closest<HTMLElement>('[data-title]')?.dataset ?? {}
    if (title && minutes === 0 && last === '') last = `${time.textContent} ${title} · `
  }
  document.title = last + title
  for (const element of all('[data-then]')) {
    if (Number(element.dataset.then) > moment) continue
    delete element.dataset.then
    isStale = true
  }
  seconds += 1
  const [polled] = all('[data-every]')
  const isDue = polled && seconds % Number(polled.dataset.every) === 0
  if (isStale || isDue || (held.length > 0 && !held.some(isPointed))) void refresh()
}

/** What the last step of the history shows: a step within a page has the same. */
let { search } = location
let isTyping = false

/** Shows what a filter finds now. What is typed in one go is one step of the history. */
async function find(form: HTMLFormElement, isTyped: boolean): Promise<void> {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value) query.append(name, `${value}`)
  const address = form.action + (query.size > 0 ? `?${query}` : '')
  if (address !== location.href)
    history[isTyped && isTyping ? 'replaceState' : 'pushState'](null, '', address)
  search = location.search
  isTyping = isTyped
  delete form.dataset.changed
  await showAnew(address)
}

addEventListener('popstate', () => {
  if (location.search !== search) location.reload()
})

/** Calls it when nobody has typed for a moment. */
function afterTyping(input: HTMLInputElement, then: () => void): void {
  let timer: ReturnType<typeof setTimeout>
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(then, TYPING_PAUSE_MS)
  })
}

/** Suggests people below a field. */
function suggest(input: HTMLInputElement): void {
  afterTyping(input, async () => {
    const asked = new URLSearchParams({ text: input.value })
    const page = await fetchPage(`${input.dataset.suggest}&${asked}`).catch(() => null)
    const options = page?.querySelectorAll('main datalist option') ?? []
    input.list?.replaceChildren(...[...options].map((option) => document.adoptNode(option)))
  })
  // One person who is found by a part of the name is meant.
  input.addEventListener('change', () => {
    const found = [...(input.list?.querySelectorAll('option') ?? [])]
    if (found.length === 1 && found[0]) input.value = found[0].value
  })
}

/** A filter counts when it is changed, and a search while it is typed. */
function filter(form: HTMLFormElement): void {
  const search = form.querySelector<HTMLInputElement>('input[type="search"]')
  if (search) afterTyping(search, () => void find(form, true))
  form.addEventListener('change', ({ target }) => {
    isTyping = false
    if (target !== search) void find(form, false)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    await find(form, false)
    document.querySelector<HTMLElement>('main a[autofocus]')?.focus()
  })
}

const known = new WeakSet<Element>()

/** Gives new elements what the script does for them. */
function prepare(): void {
  for (const form of all<HTMLFormElement>('form:not([data-known])')) {
    if (known.has(form)) continue
    known.add(form)
    form.addEventListener('input', () => {
      form.dataset.changed = ''
    })
    if (form.dataset.auto !== undefined) filter(form)
    form.addEventListener('submit', (event) => {
      // What was typed stays beside a new tab. A double click opens one.
      if (form.target !== '_blank') delete form.dataset.changed
      else if (form.dataset.sent !== undefined) event.preventDefault()
      // The button may go now.
      else event.submitter?.blur()
      form.dataset.sent = ''
      setTimeout(() => delete form.dataset.sent, DOUBLE_CLICK_MS)
    })
  }
  for (const input of all<HTMLInputElement>('[data-suggest], [data-asks]')) {
    if (known.has(input)) continue
    known.add(input)
    if (input.dataset.suggest !== undefined) suggest(input)
    else afterTyping(input, () => input.form && void foresee(input.form))
  }
}

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

prepare()
tick()
setInterval(tick, 1000)
renew()
if (isNewZone) void showAnew(here || location.href)
if (!document.hidden) follow()
