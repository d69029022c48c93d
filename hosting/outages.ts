/** Writes to the log once when the storage is lost, and once when it is back. */
export function reportOutages(label: string): { lost(error: Error): void; back(): void } {
  let isLost = false
  return {
    lost(error) {
      if (!isLost) console.error(`${label} is lost: ${error.message || error.name}`)
      isLost = true
    },
    back() {
      if (isLost) console.error(`${label} is back`)
      isLost = false
    },
  }
}
