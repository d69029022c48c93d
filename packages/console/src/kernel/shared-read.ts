interface Reading {
  readonly running: Promise<unknown>
  /** The read that begins when the running one is over. All who ask meanwhile share it. */
  next: Promise<unknown> | undefined
}

const readings = new WeakMap<object, Reading>()

/**
 * What is read after the call: one read at a time for a source, for any number of callers.
 *
 * @param source by which callers share; each source is read in one way
 */
export function sharedRead<T>(source: object, read: () => Promise<T>): Promise<T> {
  const reading = readings.get(source)
  if (!reading) return begin(source, read)
  reading.next ??= reading.running.then(
    () => begin(source, read),
    () => begin(source, read),
  )
  return reading.next as Promise<T>
}

function begin<T>(source: object, read: () => Promise<T>): Promise<T> {
  const running = read()
  const reading: Reading = { running, next: undefined }
  readings.set(source, reading)
  const over = () => {
    if (readings.get(source) === reading && reading.next === undefined) readings.delete(source)
  }
  running.then(over, over)
  return running
}
