/** Collects this process's warnings until it is disposed of. They come one turn after they were emitted. */
export function warnings() {
  const told: Array<Error & { code?: string }> = []
  const listener = (warning: Error) => told.push(warning)
  process.on('warning', listener)
  return { told, [Symbol.dispose]: () => void process.off('warning', listener) }
}
