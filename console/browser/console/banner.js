import { byId, fill, slot } from '../dom.js'
import { shownCountdown } from '../time.js'

const TICK = 250
const TITLE = document.title
/** Seconds before the end at which screen readers announce the time. Not at every second. */
const ANNOUNCED = [60, 10]

/** @type {ReturnType<typeof setInterval> | undefined} */
let timer

/**
 * Shows the banner during an impersonation, and ends the impersonation in time.
 *
 * @param {import('./impersonation.js').Impersonation} impersonation
 * @param {() => void} onTimeOver
 */
export function showBanner(impersonation, onTimeOver) {
  const { customer, why } = impersonation
  const banner = byId('banner')
  const said = byId('countdown-said')
  let announced = Math.ceil(impersonation.left / 1000)

  const tick = () => {
    const { left } = impersonation
    fill(banner, { left: shownCountdown(left) })
    const seconds = Math.ceil(left / 1000)
    const reached = ANNOUNCED.findLast((mark) => seconds <= mark && mark < announced)
    if (reached !== undefined) {
      announced = reached
      said.textContent = `${seconds} seconds left to act as ${customer.name}`
    }
    if (left <= 0) onTimeOver()
  }

  hideBanner()
  fill(banner, { name: customer.name, ticket: why.ticketId })
  document.title = `Acting as ${customer.name} · ${TITLE}`
  banner.hidden = false
  timer = setInterval(tick, TICK)
  // Timers run late in a background page and after the machine slept.
  document.addEventListener('visibilitychange', tick)
  stop = () => document.removeEventListener('visibilitychange', tick)
  tick()
}

let stop = () => {}

export function hideBanner() {
  clearInterval(timer)
  stop()
  stop = () => {}
  document.title = TITLE
  fill(byId('banner'), { name: '', ticket: '', left: '' }).hidden = true
  byId('countdown-said').textContent = ''
}

/** @param {() => void} end */
export function onEndPressed(end) {
  slot(byId('banner'), 'end').addEventListener('click', end)
}
