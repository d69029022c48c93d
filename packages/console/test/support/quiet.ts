/** The beginnings of lines that the console writes: its log, and complaints. */
const OWN = /^(?:\{"event":|support console: |audit: |support\.refused: )/

const listeners = new Set<string[]>()
const { log, error } = console

function passOn(write: (...parts: unknown[]) => void) {
  return (...parts: unknown[]) => {
    const [line] = parts
    if (typeof line !== 'string' || !OWN.test(line)) return write(...parts)
    for (const lines of listeners) lines.push(line)
  }
}

/** Collects the lines that the console writes, instead of printing them, until it is told to stop. */
export function collectLog(lines: string[]): () => void {
  if (listeners.size === 0) {
    console.log = passOn(log)
    console.error = passOn(error)
  }
  listeners.add(lines)
  return () => {
    listeners.delete(lines)
    if (listeners.size === 0) Object.assign(console, { log, error })
  }
}
