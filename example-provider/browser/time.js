const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/**
 * A moment, in the zone and the manner of the reader.
 *
 * @param {number} milliseconds since the epoch
 */
export function shownDateTime(milliseconds) {
  return dateTime.format(milliseconds)
}

/**
 * Minutes and seconds as on a clock: `09:41`.
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
 * A length of time in words: `9 min 41 s`.
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
 * How long something may last that has begun. Its end is known in whole seconds alone, so the
 * second in which it began counts as a whole: ten minutes are not 9 min 59 s.
 *
 * @param {number} time when it began, in milliseconds since the epoch
 * @param {number} expiresAt in seconds since the epoch
 */
export function shownLimit(time, expiresAt) {
  return `at most ${shownDuration((expiresAt - Math.floor(time / 1000)) * 1000)}`
}

/**
 * Sets a `<time>` element.
 *
 * @param {HTMLElement} element
 * @param {number} milliseconds since the epoch
 */
export function setTime(element, milliseconds) {
  element.textContent = shownDateTime(milliseconds)
  if (element instanceof HTMLTimeElement) element.dateTime = new Date(milliseconds).toISOString()
}
