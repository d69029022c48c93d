/**
 * Watches the current turn of the event loop: the returned function answers `true` once the turn is
 * over. Deployment code that answers within the turn did not wait, so no data changed meanwhile.
 */
export function watchEventLoopTurn(): () => boolean {
  let over = false
  // Runs after all promises of this turn are settled, and before the next turn begins.
  process.nextTick(() => {
    over = true
  })
  return () => over
}
