/** Tells whether there is room for more entries, and lets requests wait for room. */
export interface Room {
  isFree(): boolean
  /**
   * Resolves `true` once there is room, or `false` if there is none within that many milliseconds.
   */
  wait(patience: number): Promise<boolean>
  /** Says that there may be room now. */
  changed(): void
}

/** @param isFree whether there is room at this moment */
export function room(isFree: () => boolean): Room {
  const waiting = new Set<() => void>()
  return {
    isFree,
    wait(patience) {
      if (isFree()) return Promise.resolve(true)
      return new Promise((resolve) => {
        const end = (hasRoom: boolean) => {
          clearTimeout(timer)
          waiting.delete(letIn)
          resolve(hasRoom)
        }
        const letIn = () => end(true)
        const timer = setTimeout(() => end(false), patience)
        waiting.add(letIn)
      })
    },
    changed() {
      if (isFree()) for (const letIn of waiting) letIn()
    },
  }
}
