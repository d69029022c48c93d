const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/**
 * Formats a moment in the time zone and the format of the reader.
 *
 * @param {number} milliseconds since the epoch
 */
export function shownDateTime(milliseconds) {
  return dateTime.format(milliseconds)
}

/**
 * Formats minutes and seconds as on a clock: `09:41`.
 *
 * @param {number} milliseconds
 */
export function shownCountdown(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return [Math.floor(seconds / 60), seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/**
 * Formats a duration in words: `9 min 41 s`.
 *
 * @param {number} milliseconds
 */
export function shownDuration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ].filter(([count]) => count !== 0)
  return parts.length > 0 ? parts.map((part) => part.join(' ')).join(' ') : '0 s'
}

/**
 * Formats a number of events: `3 times in 9 min 41 s`.
 *
 * @param {number} count
 * @param {number} milliseconds from the first time to the last
 */
export function shownTimes(count, milliseconds) {
  return `${count.toLocaleString()} times in ${shownDuration(milliseconds)}`
}

/**
 * Formats the longest possible duration. The end is known in whole seconds only, so the first
 * second counts as a whole second: the result for ten minutes is not 9 min 59 s.
 *
 * @param {number} time of the start, in milliseconds since the epoch
 * @param {number} expiresAt in seconds since the epoch
 */
export function shownLimit(time, expiresAt) {
  return `at most ${shownDuration((expiresAt - Math.floor(time / 1000)) * 1000)}`
}

/**
 * Sets the text and the time of a `<time>` element.
 *
 * @param {HTMLElement} element
 * @param {number} milliseconds since the epoch
 */
export function setTime(element, milliseconds) {
  element.textContent = shownDateTime(milliseconds)
  if (element instanceof HTMLTimeElement) element.dateTime = new Date(milliseconds).toISOString()
}
