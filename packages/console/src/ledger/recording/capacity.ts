/** Whether there is capacity for more entries, and lets requests wait for capacity. */
export interface Capacity {
  isFree(): boolean
  /**
   * Resolves `true` once there is capacity, or `false` if there is none within that many milliseconds.
   */
  wait(timeoutMs: number): Promise<boolean>
  /** Announces that there may be capacity now. */
  changed(): void
}

/** @param isFree whether there is capacity at this moment */
export function capacity(isFree: () => boolean): Capacity {
  const waiting = new Set<() => void>()
  return {
    isFree,
    wait(timeoutMs) {
      if (isFree()) return Promise.resolve(true)
      return new Promise((resolve) => {
        const end = (hasCapacity: boolean) => {
          clearTimeout(timer)
          waiting.delete(letIn)
          resolve(hasCapacity)
        }
        const letIn = () => end(true)
        const timer = setTimeout(() => end(false), timeoutMs)
        waiting.add(letIn)
      })
    },
    changed() {
      if (isFree()) for (const letIn of waiting) letIn()
    },
  }
}
