/** The least pause before an element is shown again, in milliseconds. */
const PAUSE_MS = 200

/**
 * Limits the rate at which an element is shown again, because another one may do the same. A call
 * within the pause is made at its end.
 */
export function fiveTimesASecond(raise: () => void): () => void {
  let isPausing = false
  let isDue = false
  return function raiseLater() {
    isDue = isPausing
    if (isPausing) return
    isPausing = true
    raise()
    setTimeout(() => {
      isPausing = false
      if (isDue) raiseLater()
    }, PAUSE_MS)
  }
}

/**
 * The events with which an element of the page enters the top layer. They do not leave a shadow
 * tree, so the banner and the cover receive neither their own nor each other's.
 */
export const ENTERING = ['toggle', 'fullscreenchange'] as const

/** Checks whether a click in the middle of an element reaches it, or it is out of the window. */
export function isReached(host: Element, element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect()
  const root = host.getRootNode() as Document | ShadowRoot
  const hit = root.elementFromPoint(x + width / 2, y + height / 2)
  return !hit || hit.localName === host.localName
}
