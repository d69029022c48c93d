/** Runs `work` while this process believes that it is later. */
export async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => now() + milliseconds
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
