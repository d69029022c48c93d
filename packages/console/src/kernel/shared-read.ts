/** The read of a source that runs, and the next one, which all who ask meanwhile share. */
interface Reading {
  running: Promise<unknown>
  next: Promise<unknown> | undefined
}

const readings = new WeakMap<object, Reading>()

/**
 * Resolves with a result that is read after the call: one read at a time for a source, for any number of callers.
 *
 * @param source by which callers share; each source is read in one way
 */
export function sharedRead<T>(source: object, read: () => Promise<T>): Promise<T> {
  const reading = readings.get(source) ?? { running: Promise.resolve(), next: undefined }
  readings.set(source, reading)
  const begin = () => {
    reading.next = undefined
    reading.running = read()
    return reading.running
  }
  reading.next ??= reading.running.then(begin, begin)
  return reading.next as Promise<T>
}
