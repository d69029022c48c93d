/** Hides what is printed during the call from the test's output, and returns it. */
export async function quietly(use: () => unknown) {
  const { log, error } = console
  const stdout: string[] = []
  const stderr: string[] = []
  console.log = (...parts) => stdout.push(parts.join(' '))
  console.error = (...parts) => stderr.push(parts.join(' '))
  try {
    await use()
  } finally {
    Object.assign(console, { log, error })
  }
  return { stdout, stderr }
}
